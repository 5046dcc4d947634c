import { type Check, defineCheck } from './check.ts'

export const pageChecks: readonly Check[] = [
  defineCheck({
    id: 'late-reminders',
    runsIn: ['start', 'doctor'],
    find: ({ env, hours }) => {
      const late = env.escalateAfterMinutes?.filter((minutes) => minutes >= hours.promiseMinutes)
      return late?.length ? late : undefined
    },
    forDeveloper: (late, { hours }) => ({
      text: `ESCALATE_AFTER_MINUTES has reminders (${late.join(', ')}) that are not before the deadline, because the page promises a call within ${hours.promiseMinutes} minutes. They are not sent.`,
      next: `Set ESCALATE_AFTER_MINUTES in .env to minutes below ${hours.promiseMinutes}, or leave it empty`,
    }),
  }),
]
