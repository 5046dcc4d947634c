// Kills servers while visitors send leads, and looks for every acknowledged lead afterwards.
//   npm run bench:crash -- [how often, over both engines] [seed]
import { startPostgres } from '#testing/postgres.ts'
import { runCrash } from './crash-run.ts'
import { canCutPower, cutPower } from './power-cut.ts'
import { readNumbers, say, sayFaults } from './report.ts'

const [total, seed] = readNumbers(100, Date.now() % 1_000_000)
const cuts = 25

say(`Seed ${seed} (the same again: npm run bench:crash -- ${total} ${seed})`)
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
  for (const [at, run] of runs.entries()) {
    if (run.status === 'rejected') throw run.reason
    const { kills, sent, acknowledged, lost, doubled, surprises, ...counts } = run.value
    say(`\n${at === 0 ? 'SQLite, one process' : 'PostgreSQL, two processes'}
  kills ${kills}, acknowledged ${acknowledged} of ${sent} sent, requests repeated ${counts.requestsRepeated}
  Airtable: ${counts.airtableCalls} calls, ${counts.airtableFaults} of them failed or lost their answer
  lost ${lost.length}, doubled ${doubled.length}
  alerts handed over again under the same id, after a kill between hand-over and record: ${counts.alertsRepeated}`)
    sayFaults([...lost, ...doubled, ...surprises])
  }
  say(`\nBoth took ${Math.round((Date.now() - startedAt) / 60_000)} minutes.`)
} finally {
  await postgres.remove()
}

if (canCutPower()) {
  const { acknowledged, lost, damaged } = await cutPower({ seed, cuts })
  say(`\nSQLite, power cut (the file system as it is on the disk, without what was not synced)
  cuts ${cuts}, acknowledged ${acknowledged}, lost ${lost.length}, damaged ${damaged.length}`)
  sayFaults([...lost, ...damaged])
} else say('\nPower cuts were not tried: they need root and loop devices.')
