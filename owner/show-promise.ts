import { writeFile } from 'node:fs/promises'
import { makeSafe } from '#leads/safe-text.ts'
import { listHandOvers, listPromises } from '#leads/store/reading.ts'
import { toIso } from './describe-lead.ts'
import { type Command, type Deps, explainUnwritten, Failure, UsageError } from './leads-command.ts'
import { computeReport, findMidnight, formatReport, type PromiseReport } from './promise-report.ts'
import { formatReportHtml } from './promise-report-html.ts'
import { makeSafeJson } from './terminal.ts'

export async function showPromise(command: Command, deps: Deps): Promise<number> {
  const { db, stdout, now, width } = deps
  const { html } = command
  const timeZone = deps.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const period = findPeriod(command, timeZone, now())
  const promises = await listPromises(db, period)
  const report = computeReport(promises, await listHandOvers(db, period), {
    ...period,
    // "Up to a day" begins with the first lead there was.
    from: period.from || (promises[0]?.receivedAt ?? period.to),
    now: now(),
    timeZone,
  })
  if (html !== undefined) await writeReport(html, formatReportHtml(report), command.force)
  if (command.json) stdout(`${makeSafeJson(toReportJson(report))}\n`)
  else {
    stdout(formatReport(report, width))
    if (html !== undefined) stdout(`\nThe same with charts: ${makeSafe(html)}\n`)
  }
  return 0
}

const dayMs = 86_400_000

function findPeriod({ days, from, to }: Command, timeZone: string, now: number) {
  if (from === undefined && to === undefined) return { from: now - days * dayMs, to: now }
  const findDay = (option: string, day: string) => {
    const at = findMidnight(day, timeZone)
    if (at === undefined)
      throw new UsageError(`${option} takes a day such as 2026-11-01, not "${day}"`)
    return at
  }
  const fromAt = from === undefined ? 0 : findDay('--from', from)
  const lastAt = to === undefined ? undefined : findDay('--to', to)
  // The day itself counts: to the next midnight, which a change of the clocks may move by an hour.
  const toAt =
    lastAt === undefined
      ? now
      : findDay('--to', new Date(Date.parse(`${to}T00:00:00Z`) + dayMs).toISOString().slice(0, 10))
  if (toAt <= fromAt) throw new UsageError('--to lies before --from')
  return { from: fromAt, to: toAt }
}

async function writeReport(file: string, page: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, page, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Failure(`${file} is there already. --force replaces it.`)
    throw explainUnwritten(file, error)
  }
}

const toReportJson = ({ from, to, ...report }: PromiseReport) => ({
  from: toIso(from),
  to: toIso(to),
  ...report,
})
