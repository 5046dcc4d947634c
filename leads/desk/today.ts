import { describeCard } from '../reports/describe.ts'
import { listTodayLeads } from '../store/today-leads.ts'
import type { DeskContext, DeskHooks, Session } from './routes.ts'

export type Today = Awaited<ReturnType<typeof readToday>>

/** Lists the leads to call, those that someone is calling, those to call again, and so on. */
export async function readToday(
  { id, email, person, role }: Session,
  { db, now, env, hours }: Pick<DeskContext, 'db' | 'now' | 'env' | 'hours'>,
  { listWarnings }: Pick<DeskHooks, 'listWarnings'>,
) {
  const groups = await listTodayLeads(db, now())
  const { toCall, calling, callAgain, waiting, called, suspect } = groups
  return {
    me: { id, email, person, role },
    timeZone: env.timeZone,
    hours: hours(),
    leads: [toCall, calling, callAgain, waiting, called, suspect].flatMap(({ leads }) =>
      leads.map(describeCard),
    ),
    totals: {
      toCall: toCall.total,
      calling: calling.total,
      callAgain: callAgain.total,
      waiting: waiting.total,
      called: called.total,
      suspect: suspect.total,
    },
    warnings: await listWarnings(),
  }
}
