// Kills servers while visitors send leads, and looks for every acknowledged lead afterwards.
//   npm run bench:crash -- [how often, over both engines] [--seed 1]
import { parseArgs } from 'node:util'
import { startPostgres } from '#testing/postgres.ts'
import { type CrashResult, runCrash } from './crash-run.ts'
import { canCutPower, cutPower } from './power-cut.ts'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' } },
  allowPositionals: true,
})
const total = Number(positionals[0] ?? 100)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const visitors = 6
const cuts = 25
const say = (text: string) => process.stdout.write(`${text}\n`)

say(`Seed ${seed} (the same again: npm run bench:crash -- ${total} --seed ${seed})`)
const startedAt = Date.now()
const postgres = await startPostgres()
try {
  const options = { seed, kills: Math.ceil(total / 2), visitors }
  // Both to their end: the servers of one that is left behind would go on.
  const runs = await Promise.allSettled([
    runCrash({ ...options, processes: 1, onKill: sayProgress('SQLite') }),
    runCrash({
      ...options,
      processes: 2,
      databaseUrl: postgres.url,
      onKill: sayProgress('PostgreSQL'),
    }),
  ])
  const results = runs.map((run) => {
    if (run.status === 'rejected') throw run.reason
    return run.value
  })
  const sum = (count: (result: CrashResult) => number) =>
    results.reduce((so, result) => so + count(result), 0)
  for (const [at, result] of results.entries())
    report(at === 0 ? 'SQLite, one process' : 'PostgreSQL, two processes', result)
  say(`\nBoth, in ${Math.round((Date.now() - startedAt) / 60_000)} minutes`)
  say(
    `  kills ${sum(({ kills }) => kills)}, acknowledged ${sum(({ acknowledged }) => acknowledged)}, lost ${sum(({ lost }) => lost.length)}, doubled ${sum(({ doubled }) => doubled.length)}`,
  )
} finally {
  await postgres.remove()
}

if (canCutPower()) {
  const { acknowledged, lost, damaged } = await cutPower({ seed, cuts, visitors })
  say('\nSQLite, power cut (the file system as it is on the disk, without what was not synced)')
  say(
    `  cuts ${cuts}, acknowledged ${acknowledged}, lost ${lost.length}, damaged ${damaged.length}`,
  )
  judge([...lost, ...damaged])
} else say('\nPower cuts were not tried: they need root and loop devices.')

function sayProgress(engine: string) {
  return (kills: number) => {
    if (kills % 50 === 0) say(`${engine}: ${kills} kills`)
  }
}

function report(title: string, result: CrashResult): void {
  const { kills, sent, acknowledged, lost, doubled, alertsRepeated, surprises } = result
  say(`\n${title}`)
  say(
    `  kills ${kills}, acknowledged ${acknowledged} of ${sent} sent, requests repeated ${result.requestsRepeated}`,
  )
  say(
    `  Airtable: ${result.airtableCalls} calls, ${result.airtableFaults} of them failed or lost their answer`,
  )
  say(`  lost ${lost.length}, doubled ${doubled.length}`)
  say(
    `  alerts handed over again under the same id, after a kill between hand-over and record: ${alertsRepeated}`,
  )
  judge([...lost, ...doubled, ...surprises])
}

function judge(faults: readonly string[]): void {
  for (const fault of faults.slice(0, 20)) say(`  ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
