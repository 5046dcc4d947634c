// Measures the product's speed, or tries to make it lose leads.
//   npm run bench -- [page] [submit] [alert] [crash] [hostile]   default: all
//   --save            also write the reports to bench/results.md and keep those of other benchmarks
//   --against HEAD~1  page, submit: also measure this commit
//   --kills 100       crash: number of kills for each database
//   --requests 100000 hostile: number of requests for each database
//   --seed N          crash, hostile: repeat an earlier run
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatReport, mergeResults, type Options, type Report } from './report.ts'

const benchmarks: Record<string, () => Promise<(options: Options) => Promise<Report[]>>> = {
  page: async () => (await import('./page.ts')).benchPage,
  submit: async () => (await import('./submit.ts')).benchSubmit,
  alert: async () => (await import('./alert.ts')).benchAlert,
  crash: async () => (await import('./crash.ts')).benchCrash,
  hostile: async () => (await import('./hostile.ts')).benchHostile,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: 'boolean' },
    against: { type: 'string' },
    kills: { type: 'string', default: '100' },
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const { save, against, ...counts } = values
for (const [name, value] of Object.entries(counts))
  if (!/^\d+$/.test(value)) throw new Error(`--${name} must be a number.`)
const options = {
  against,
  kills: Number(counts.kills),
  requests: Number(counts.requests),
  seed: Number(counts.seed),
}
const names = positionals.length > 0 ? positionals : Object.keys(benchmarks)
const unknown = names.find((name) => !(name in benchmarks))
if (unknown)
  throw new Error(
    `Unknown benchmark ${unknown}. Choose from ${Object.keys(benchmarks).join(', ')}.`,
  )

const [cpu] = cpus()
const machine = `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}, Node ${process.versions.node}`
const file = join(import.meta.dirname, 'results.md')
for (const name of names) {
  const run = await benchmarks[name]?.()
  let results = `${new Date().toISOString().slice(0, 10)}, ${machine}.\n`
  for (const report of (await run?.(options)) ?? []) {
    const text = formatReport(report)
    process.stdout.write(`${text}\n`)
    results += `\n${text}`
    if (text.includes('FAILED:')) process.exitCode = 1
  }
  if (save) writeFileSync(file, mergeResults(readFileSync(file, 'utf8'), name, results))
}
