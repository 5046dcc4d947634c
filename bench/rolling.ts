// Restarts the site's processes one after the other behind Caddy, under load, with deploy/Caddyfile and
// deploy/rolling-restart as they are. Nobody tries again, so every failed request counts.
//   npm run bench:rolling -- [rounds]
import { startPostgres } from '#testing/postgres.ts'
import { readNumbers, say, sayFaults } from './report.ts'
import { runRolling } from './rolling-run.ts'

const [rounds] = readNumbers(4)
const load = { rounds, visitors: 40, pauseMs: 20 }

const postgres = await startPostgres({ durable: true })
try {
  const several = { databaseUrl: postgres.url, processes: 3, ...load }
  await report('PostgreSQL, 3 processes behind Caddy', runRolling(several))
} finally {
  await postgres.remove()
}
await report('SQLite, one process behind Caddy', runRolling({ processes: 1, ...load }))

async function report(title: string, run: ReturnType<typeof runRolling>): Promise<void> {
  const { failed, lost, doubled, badEnds, ...counts } = await run
  say(`\n${title}
  restarts ${counts.restarts}, requests ${counts.requests}, kinds of failure ${failed.length}
  acknowledged ${counts.acknowledged}, lost ${lost.length}, doubled ${doubled.length}
  longest wait for an answer ${counts.longestMs} ms`)
  sayFaults([...failed, ...lost, ...doubled, ...badEnds])
}
