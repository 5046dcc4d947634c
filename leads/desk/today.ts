import { findLeads } from '../store/find-leads.ts'
import type { Database } from '../store/tables.ts'
import { describeCard } from './describe.ts'
import type { Session } from './routes.ts'

const dayMs = 24 * 3_600_000

export type Today = Awaited<ReturnType<typeof readToday>>

/** What the first screen shows. */
export async function readToday(
  { id, email, person }: Session,
  {
    db,
    now,
    findWarnings,
  }: { db: Database; now: () => number; findWarnings: () => Promise<string[]> },
) {
  const at = now()
  const recent = await findLeads(db, { from: at - dayMs }, { limit: 200 })
  // However many have come since, among them robots, nobody who waits may be missing.
  const open = await findLeads(db, { state: 'waiting', from: at - 7 * dayMs }, { limit: 200 })
  const all = new Map([...recent, ...open].map((lead) => [lead.id, lead]))
  const newestFirst = [...all.values()].sort((a, b) => b.receivedAt - a.receivedAt)
  const leads = newestFirst.map(describeCard)
  return { me: { id, email, person }, leads, warnings: await findWarnings() }
}
