// Kills servers while visitors send leads, and looks for every acknowledged lead afterwards.
//   npm run bench:crash -- [--kills 40] [--seed 1] [--visitors 6] [--power-cuts 25]
import { parseArgs } from 'node:util'
import { startPostgres } from '../testing/postgres.ts'
import { type CrashResult, runCrash } from './crash-run.ts'
import { canCutPower, cutPower } from './power-cut.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '40' },
    seed: { type: 'string' },
    visitors: { type: 'string', default: '6' },
    'power-cuts': { type: 'string', default: '25' },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const options = {
  seed,
  kills: Number(values.kills),
  visitors: Number(values.visitors),
  waitOutLeases: true,
}
const say = (text: string) => process.stdout.write(`${text}\n`)

say(`Seed ${seed} (the same again: npm run bench:crash -- --seed ${seed})`)
report('SQLite, one process', await runCrash({ ...options, processes: 1 }))
const postgres = await startPostgres()
try {
  const both = { ...options, databaseUrl: postgres.url, processes: 2 }
  report('PostgreSQL, two processes', await runCrash(both))
} finally {
  await postgres.remove()
}

if (canCutPower()) {
  const cuts = Number(values['power-cuts'])
  const { acknowledged, lost, damaged } = await cutPower({ seed, cuts, visitors: options.visitors })
  say('\nSQLite, power cut (the file system as it is on the disk, without what was not synced)')
  say(
    `  cuts ${cuts}, acknowledged ${acknowledged}, lost ${lost.length}, damaged ${damaged.length}`,
  )
  judge([...lost, ...damaged])
} else say('\nPower cuts were not tried: they need root and loop devices.')

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
