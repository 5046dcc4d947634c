// Kills servers while visitors send leads, and looks for every acknowledged lead afterwards.
//   npm run bench:crash -- [how often, over both engines] [--seed 1]
import { parseArgs } from 'node:util'
import { startPostgres } from '#testing/postgres.ts'
import { runCrash } from './crash-run.ts'
import { canCutPower, cutPower } from './power-cut.ts'
import { say, sayFaults } from './report.ts'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' } },
  allowPositionals: true,
})
const total = Number(positionals[0] ?? 100)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const cuts = 25

say(`Seed ${seed} (the same again: npm run bench:crash -- ${total} --seed ${seed})`)
const startedAt = Date.now()
const postgres = await startPostgres()
try {
  const kills = Math.ceil(total / 2)
  const engines = { SQLite: undefined, PostgreSQL: postgres.url }
  // Both to their end: the servers of one that is left behind would go on.
  const runs = await Promise.allSettled(
    Object.entries(engines).map(([engine, databaseUrl]) =>
      runCrash({ seed, kills, databaseUrl, onKill: (n) => n % 50 || say(`${engine}: ${n} kills`) }),
    ),
  )
  const sums = { kills: 0, acknowledged: 0, lost: 0, doubled: 0 }
  for (const [at, run] of runs.entries()) {
    if (run.status === 'rejected') throw run.reason
    const { kills, sent, acknowledged, requestsRepeated, ...result } = run.value
    const { airtableCalls, airtableFaults, lost, doubled, alertsRepeated, surprises } = result
    say(`\n${at === 0 ? 'SQLite, one process' : 'PostgreSQL, two processes'}
  kills ${kills}, acknowledged ${acknowledged} of ${sent} sent, requests repeated ${requestsRepeated}
  Airtable: ${airtableCalls} calls, ${airtableFaults} of them failed or lost their answer
  lost ${lost.length}, doubled ${doubled.length}
  alerts handed over again under the same id, after a kill between hand-over and record: ${alertsRepeated}`)
    sayFaults([...lost, ...doubled, ...surprises])
    sums.kills += kills
    sums.acknowledged += acknowledged
    sums.lost += lost.length
    sums.doubled += doubled.length
  }
  say(`\nBoth, in ${Math.round((Date.now() - startedAt) / 60_000)} minutes
  kills ${sums.kills}, acknowledged ${sums.acknowledged}, lost ${sums.lost}, doubled ${sums.doubled}`)
} finally {
  await postgres.remove()
}

if (canCutPower()) {
  const { acknowledged, lost, damaged } = await cutPower({ seed, cuts })
  say(`\nSQLite, power cut (the file system as it is on the disk, without what was not synced)
  cuts ${cuts}, acknowledged ${acknowledged}, lost ${lost.length}, damaged ${damaged.length}`)
  sayFaults([...lost, ...damaged])
} else say('\nPower cuts were not tried: they need root and loop devices.')
