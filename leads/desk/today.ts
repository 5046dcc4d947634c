import { describeCard } from '../reports/describe.ts'
import { findTodayLeads } from '../store/today-leads.ts'
import type { DeskContext, DeskHooks, Session } from './routes.ts'

export type Today = Awaited<ReturnType<typeof readToday>>

/** Lists the leads to call, those due after we open, answered leads, and suspected spam. */
export async function readToday(
  { id, email, person, role }: Session,
  { db, now, env, hours }: Pick<DeskContext, 'db' | 'now' | 'env' | 'hours'>,
  { findWarnings }: Pick<DeskHooks, 'findWarnings'>,
) {
  const { open, promiseMinutes } = hours()
  const { toCall, again, waiting, answered, suspect } = await findTodayLeads(db, now())
  return {
    me: { id, email, person, role },
    timeZone: env.timeZone,
    isAlwaysOpen: open === 'always',
    promiseMinutes,
    leads: [toCall, again, waiting, answered, suspect].flatMap((group) =>
      group.leads.map(describeCard),
    ),
    totals: {
      toCall: toCall.total + again.total,
      waiting: waiting.total,
      answered: answered.total,
      suspect: suspect.total,
    },
    warnings: await findWarnings(),
  }
}
