import { type Check, defineCheck, type OwnerAction } from './check.ts'

export const openPageEditor: OwnerAction = {
  label: 'Open the page editor',
  kind: 'open',
  route: '#/page',
}

export const pageChecks: readonly Check[] = [
  defineCheck({
    id: 'page-not-shown',
    runsIn: ['healthz', 'desk', 'start', 'doctor'],
    find: ({ pageFault }) => pageFault,
    forOwner: () => ({
      text: 'Visitors don’t see the page that you published last. If the page editor marks mistakes, fix them and publish again. Otherwise, the site keeps trying. If this doesn’t go away, ask the person who set up this site for help.',
      action: openPageEditor,
    }),
    forDeveloper: (fault) => ({
      text: `The published page cannot be shown, so visitors see an earlier one or the one from site/content.ts: ${fault.replace(/\.?$/, '.')}`,
      next: 'Correct the entries on the desk under Page, and publish again',
    }),
  }),
  defineCheck({
    id: 'page-differs',
    runsIn: ['doctor'],
    severity: 'note',
    find: ({ pageDiffers }) => pageDiffers,
    forDeveloper: () => ({
      text: 'The published page and site/content.ts differ. Visitors see the published page.',
      next: 'To copy it into the file, run npm run -s leads -- page',
    }),
  }),
  defineCheck({
    id: 'late-reminders',
    runsIn: ['desk', 'start', 'doctor'],
    find: ({ env, hours }) => {
      const late = env.escalateAfterMinutes?.filter((minutes) => minutes >= hours.promiseMinutes)
      return late?.length ? late : undefined
    },
    forOwner: (late, { hours }) => ({
      text: `Reminders after ${late.join(' and ')} minutes aren’t sent, because you promise a call within ${hours.promiseMinutes} minutes. Allow more time under “Minutes until you call,” or ask the person who set up this site to change the reminders.`,
      action: openPageEditor,
    }),
    forDeveloper: (late, { hours }) => ({
      text: `ESCALATE_AFTER_MINUTES has reminders (${late.join(', ')}) that are not before the deadline, because the page promises a call within ${hours.promiseMinutes} minutes. They are not sent.`,
      next: `Set ESCALATE_AFTER_MINUTES in .env to minutes below ${hours.promiseMinutes}, or leave it empty`,
    }),
  }),
]
