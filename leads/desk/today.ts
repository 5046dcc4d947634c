import { computeDay, formatDay } from '../clock.ts'
import { describeCard } from '../reports/describe.ts'
import { listTodayLeads } from '../store/today-leads.ts'
import type { DeskContext, Session } from './routes.ts'

export type Today = Awaited<ReturnType<typeof readToday>>
export type TodayLead = Today['leads'][number]

/** Returns what the Today screen shows. Each lead has a group, such as the leads to call. */
export async function readToday(
  { email, person, role }: Session,
  { db, now, hours, company, listWarnings }: DeskContext,
) {
  const at = now()
  const { timeZone } = hours()
  const day = computeDay(formatDay(at, timeZone), timeZone)
  const { leads, totals, onTime } = await listTodayLeads(db, { now: at, day, email })
  return {
    me: { email, person, role },
    hours: hours(),
    company: company().name,
    leads: leads.map((lead) => {
      const { card, group, requests } = lead
      return { ...describeCard(lead), card, group, requests }
    }),
    totals,
    onTime,
    warnings: (await listWarnings()).filter(({ forCrew }) => forCrew || role === 'owner'),
  }
}
