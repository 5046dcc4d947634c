import { describeCard } from '../reports/describe.ts'
import { findLeads } from '../store/find-leads.ts'
import type { DeskContext, DeskHooks, Session } from './routes.ts'

const dayMs = 24 * 3_600_000

export type Today = Awaited<ReturnType<typeof readToday>>

export async function readToday(
  { id, email, person }: Session,
  { db, now, env }: Pick<DeskContext, 'db' | 'now' | 'env'>,
  { findWarnings }: Pick<DeskHooks, 'findWarnings'>,
) {
  const at = now()
  const recent = await findLeads(db, { from: at - dayMs }, { limit: 200 })
  // Leads that nobody has called must be listed, however many have arrived since.
  const open = await findLeads(db, { state: 'waiting', from: at - 7 * dayMs }, { limit: 200 })
  const all = new Map([...recent, ...open].map((lead) => [lead.id, lead]))
  const newestFirst = [...all.values()].sort((a, b) => b.receivedAt - a.receivedAt)
  const leads = newestFirst.map(describeCard)
  const { timeZone } = env
  return { me: { id, email, person }, timeZone, leads, warnings: await findWarnings() }
}
