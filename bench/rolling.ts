// Restarts the site's processes one after the other behind Caddy, under load, with deploy/Caddyfile and
// deploy/rolling-restart as they are. Nobody tries again, so every failed request counts.
//   npm run bench:rolling -- [--processes 3] [--rounds 4] [--visitors 40] [--pause-ms 20]
import { parseArgs } from 'node:util'
import { findCaddy } from '#testing/caddy.ts'
import { startPostgres } from '#testing/postgres.ts'
import { type RollingResult, runRolling } from './rolling-run.ts'

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '4' },
    visitors: { type: 'string', default: '40' },
    'pause-ms': { type: 'string', default: '20' },
  },
})
const rounds = Number(values.rounds)
const visitors = Number(values.visitors)
const pauseMs = Number(values['pause-ms'])
const processes = Number(values.processes)
const say = (text: string) => process.stdout.write(`${text}\n`)

if (findCaddy()) {
  const postgres = await startPostgres({ durable: true })
  try {
    const { url: databaseUrl } = postgres
    const several = await runRolling({ databaseUrl, processes, rounds, visitors, pauseMs })
    report(`PostgreSQL, ${processes} processes behind Caddy`, several)
  } finally {
    await postgres.remove()
  }
  const one = await runRolling({ processes: 1, rounds, visitors, pauseMs })
  report('SQLite, one process behind Caddy', one)
} else {
  say('Caddy is not installed: nothing was measured. On Debian: apt-get install caddy')
  process.exitCode = 1
}

function report(title: string, result: RollingResult): void {
  const { restarts, requests, leads, failed, acknowledged, lost, doubled, badEnds } = result
  say(`\n${title}`)
  say(`  restarts ${restarts}, requests ${requests} (leads ${leads}), failed ${failed.length}`)
  say(`  acknowledged ${acknowledged}, lost ${lost.length}, doubled ${doubled.length}`)
  say(`  longest wait for an answer ${result.longestMs} ms`)
  for (const fault of [...failed, ...lost, ...doubled, ...badEnds].slice(0, 20)) {
    say(`  ${fault}`)
    process.exitCode = 1
  }
}
