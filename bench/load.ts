// More than one machine can be asked for, behind Caddy as an owner has it: visitors who never pause,
// and connections that only hold on. One server process with SQLite, the load from the same machine.
//   npm run bench:load -- [minutes]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { countLeads } from '#leads/store/reading.ts'
import { openDatabase } from '#server/database.ts'
import { startCaddy, type TestCaddy } from '#testing/caddy.ts'
import { startServer } from '#testing/processes.ts'
import { startCrowd, type Tally } from './crowd.ts'
import * as report from './report.ts'
import { functionPath } from './visitors.ts'

const [minutes] = report.readNumbers(1)
const runMs = minutes * 60_000
const visitors = 800
const holders = 400

const dataDir = mkdtempSync(join(tmpdir(), 'load-'))
const server = startServer({
  DATA_DIR: dataDir,
  RATE_LIMIT_PER_MINUTE: '0',
  TRUSTED_PROXIES: '1',
  // So small a heap that a leak ends the process instead of hiding in a large machine's memory.
  NODE_OPTIONS: '--max-old-space-size=128',
})
let caddy: TestCaddy | undefined
try {
  caddy = await startCaddy([new URL(await server.findUrl()).host])
  const alone = await measure('16 visitors, nobody else', caddy, 16, Math.min(5_000, runMs))
  const held = hold(caddy)
  const memory: number[] = []
  const watch = setInterval(() => memory.push(report.readResidentBytes(server.pid)), runMs / 24)
  const title = `${visitors} visitors without a pause, ${holders} connections that hold on`
  const storm = await measure(title, caddy, visitors, runMs)
  const closed = held.stop()
  clearInterval(watch)
  report.say(`memory over time: ${memory.map(report.formatMegabytes).join(' ')}`)
  report.say(`connections that held on and were closed: ${closed}\n`)
  // After the storm one visitor must find everything as it was.
  const after = await measure('One visitor afterwards', caddy, 1, 1_000)
  report.sayFaults([
    ...listRefusals(storm.tallies, ['ok', 'answered 429, later', 'answered 503, later']),
    ...listRefusals(after.tallies, ['ok']),
    // The first half warms up.
    report.findGrowth(memory.slice(memory.length >> 1)),
    storm.acknowledged.length === 0 ? 'no lead got through' : undefined,
    runMs >= 30_000 && closed === 0 ? 'no connection that held on was closed' : undefined,
  ])

  const exitCode = await server.kill('SIGTERM')
  const db = await openDatabase({ dataDir })
  const stored = await countLeads(db)
  await db.close()
  const acknowledged = [alone, storm, after].reduce((sum, run) => sum + run.acknowledged.length, 0)
  report.say(`leads acknowledged ${acknowledged}, stored ${stored}`)
  if (exitCode !== 0) report.sayFaults(['the server did not end by itself'])
  if (stored < acknowledged) report.sayFaults(['acknowledged leads are missing'])
} finally {
  await caddy?.stop()
  await server.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure(title: string, caddy: TestCaddy, visitors: number, forMs: number) {
  const crowd = startCrowd(caddy, { visitors, pauseMs: 0 })
  await pause(forMs)
  const result = await crowd.stop()
  const head = ['request', 'a second', 'median', '99 %', 'slowest', 'outcomes']
  const rows = [...result.tallies].map(([kind, { times, outcomes }]) => [
    kind,
    String(Math.round((times.length / forMs) * 1000)),
    ...[0.5, 0.99, 1].map((part) => report.formatMs(report.findQuantile(times, part))),
    report.formatCounts(outcomes),
  ])
  report.say(report.formatTable({ title, head, rows }))
  return result
}

function listRefusals(tallies: Map<string, Tally>, allowed: string[]): string[] {
  return [...tallies].flatMap(([kind, { outcomes }]) =>
    [...outcomes.keys()].filter((one) => !allowed.includes(one)).map((one) => `${kind}: ${one}`),
  )
}

/** Connections that send their headers one byte every other second, from one address. */
function hold({ httpsPort: port, ca }: TestCaddy) {
  let closed = 0
  let isOver = false
  const sockets = new Set<TLSSocket>()
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (isOver) return
      closed += 1
      setTimeout(open, 200).unref()
    })
    socket.resume()
    socket.write(`POST ${functionPath} HTTP/1.1\r\nHost: a\r\nx: `)
  }
  for (let at = 0; at < holders; at++) open()
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write('y')
  }, 2_000)
  return {
    stop() {
      isOver = true
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}
