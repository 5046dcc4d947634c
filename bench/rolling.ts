// Restarts the site's processes one after the other behind Caddy, under load, with deploy/Caddyfile and
// deploy/rolling-restart as they are. Nobody tries again, so every failed request counts.
//   npm run bench:rolling -- [rounds]
import { startPostgres } from '#testing/postgres.ts'
import { say, sayFaults } from './report.ts'
import { type RollingResult, runRolling } from './rolling-run.ts'

const load = { rounds: Number(process.argv[2] ?? 4), visitors: 40, pauseMs: 20 }

const postgres = await startPostgres({ durable: true })
try {
  const several = await runRolling({ databaseUrl: postgres.url, processes: 3, ...load })
  report('PostgreSQL, 3 processes behind Caddy', several)
} finally {
  await postgres.remove()
}
report('SQLite, one process behind Caddy', await runRolling({ processes: 1, ...load }))

function report(title: string, result: RollingResult): void {
  const { restarts, requests, failed, acknowledged, lost, doubled, longestMs, badEnds } = result
  say(`\n${title}`)
  say(`  restarts ${restarts}, requests ${requests}, kinds of failure ${failed.length}`)
  say(`  acknowledged ${acknowledged}, lost ${lost.length}, doubled ${doubled.length}`)
  say(`  longest wait for an answer ${longestMs} ms`)
  sayFaults([...failed, ...lost, ...doubled, ...badEnds])
}
