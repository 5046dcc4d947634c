import { describeCard } from '../reports/describe.ts'
import { mapRepeats } from '../store/list-repeats.ts'
import { listTodayLeads } from '../store/today-leads.ts'
import type { DeskContext, DeskHooks, Session } from './routes.ts'

export type Today = Awaited<ReturnType<typeof readToday>>

/** Lists the leads to call, those that someone is calling, those to call again, and so on. */
export async function readToday(
  { id, email, person, role }: Session,
  { db, now, env, hours, company }: Pick<DeskContext, 'db' | 'now' | 'env' | 'hours' | 'company'>,
  { listWarnings }: Pick<DeskHooks, 'listWarnings'>,
) {
  const groups = await listTodayLeads(db, now())
  const { toCall, calling, callAgain, waiting, called, suspect } = groups
  const leads = Object.values(groups).flatMap((group) => group.leads)
  const repeats = await mapRepeats(db, leads)
  return {
    me: { id, email, person, role },
    timeZone: env.timeZone,
    hours: hours(),
    company: company().name,
    leads: leads.map((lead) => describeCard(lead, repeats.get(lead.id))),
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
