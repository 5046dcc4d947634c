import { computeReport, findMidnight } from '#leads/desk/promise-report.ts'
import { listHandOvers, listPromises } from '#leads/store/reading.ts'
import { toIso } from './describe-lead.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { formatReport } from './promise-report-text.ts'
import { UsageError } from './usage.ts'

export async function showPromise(command: Command, deps: Deps): Promise<Outcome> {
  const timeZone = deps.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const now = deps.now()
  const period = findPeriod(command, timeZone, now)
  const promises = await listPromises(deps.db, period)
  // "Up to a day" begins with the first lead there was.
  const from = period.from || (promises[0]?.receivedAt ?? period.to)
  const handOvers = await listHandOvers(deps.db, period)
  const report = computeReport(promises, handOvers, { from, to: period.to, now, timeZone })
  return {
    json: { ...report, from: toIso(from), to: toIso(period.to) },
    text: formatReport(report, deps.width),
  }
}

const dayMs = 86_400_000

function findPeriod({ days, from, to }: Command, timeZone: string, now: number) {
  if (from === undefined && to === undefined) return { from: now - days * dayMs, to: now }
  // The last day itself counts: to the next midnight, which a change of the clocks may move.
  const findDay = (option: string, day: string, daysLater = 0) => {
    const at = findMidnight(day, timeZone, daysLater)
    if (at === undefined)
      throw new UsageError(`${option} takes a day such as 2026-11-01, not "${day}"`)
    return at
  }
  const fromAt = from === undefined ? 0 : findDay('--from', from)
  const toAt = to === undefined ? now : findDay('--to', to, 1)
  if (toAt <= fromAt) throw new UsageError('--to lies before --from')
  return { from: fromAt, to: toAt }
}
