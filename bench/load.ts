import { mkdtempDisposableSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { countLeads } from '#leads/store/find-leads.ts'
import { openDatabase } from '#server/database.ts'
import { testLead, testPath } from '#testing/app.ts'
import { startServer } from '#testing/processes.ts'
import * as report from './report.ts'

const visitors = 500
const heldConnections = 100

/** Sends more requests than one process can serve and holds connections with unfinished requests. */
export async function benchLoad({ seconds }: report.Options): Promise<report.Report[]> {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'load-'))
  await using server = startServer({
    DATA_DIR: dir.path,
    RATE_LIMIT_PER_MINUTE: '0',
    TRUSTED_PROXIES: '1',
    // With a heap this small, a memory leak ends the process.
    NODE_OPTIONS: '--max-old-space-size=128',
  })
  const url = await server.findUrl()
  const sockets = holdConnections(url)
  const memory: number[] = []
  const read = () => memory.push(report.readResidentBytes(server.pid))
  const watch = setInterval(read, (seconds * 1000) / 20)
  const under = await measure(url, visitors, seconds)
  clearInterval(watch)
  const closed = sockets.filter((socket) => socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  const after = await measure(url, 1, 3)

  const exitCode = await server.kill('SIGTERM')
  const db = await openDatabase({ dataDir: dir.path })
  const stored = await countLeads(db)
  await db.close()
  const acknowledged = under.acknowledged + after.acknowledged
  const listUnexpected = ({ responses }: typeof under, ...allowed: string[]) =>
    [...responses.keys()].filter(
      (response) => !['page 200', 'lead 200', ...allowed].includes(response),
    )
  return [
    {
      title: `Load on one process with SQLite and a heap of 128 MB, ${seconds} s`,
      head: ['', ''],
      rows: [
        [`${visitors} visitors without a pause`, under.summary],
        ['one visitor afterwards', after.summary],
        ['leads', `${acknowledged} acknowledged, ${stored} stored`],
        ['unfinished requests', `${closed} of ${heldConnections} closed`],
        ['memory over time', memory.map(report.formatMegabytes).join(', ')],
      ],
      failures: [
        ...listUnexpected(under, 'lead 429', 'lead 503').map((found) => `under load: ${found}`),
        ...listUnexpected(after).map((found) => `after the load: ${found}`),
        under.acknowledged === 0 ? 'no lead was stored under load' : undefined,
        seconds > 40 && closed === 0 ? 'no unfinished request was closed' : undefined,
        stored < acknowledged ? 'acknowledged leads are missing' : undefined,
        exitCode !== 0 ? 'the server did not stop normally' : undefined,
        // Ignore the first half, in which the process warms up.
        report.findGrowth(memory.slice(memory.length >> 1)),
      ],
    },
  ]
}

/** Each connection alternates between loading the page and sending a lead, without pauses. */
async function measure(url: string, connections: number, duration: number) {
  const responses = new Map<string, number>()
  const count = (kind: string) => (status: number) =>
    report.countOne(responses, `${kind} ${status}`)
  let sent = 0
  const result = await autocannon({
    url,
    connections,
    duration,
    timeout: 30,
    requests: [
      { path: '/', onResponse: count('page') },
      {
        method: 'POST',
        path: testPath,
        headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
        body: JSON.stringify(testLead),
        setupRequest: (request) => {
          sent += 1
          // Give every visitor a different network.
          const address = `10.${(sent >> 8) % 256}.${sent % 256}.1`
          return { ...request, headers: { ...request.headers, 'x-forwarded-for': address } }
        },
        onResponse: count('lead'),
      },
    ],
  })
  if (result.errors > 0) responses.set('failed connection', result.errors)
  const { p50, p99 } = result.latency
  const times = `median ${report.formatMs(p50)}, p99 ${report.formatMs(p99)}`
  return {
    responses,
    acknowledged: responses.get('lead 200') ?? 0,
    summary: `${Math.round(result.requests.average)} requests/s, ${times}; ${report.formatCounts(responses)}`,
  }
}

/** Opens connections that send one byte of a header every two seconds. */
function holdConnections(url: string) {
  const { hostname: host, port } = new URL(url)
  return Array.from({ length: heldConnections }, () => {
    const socket = connect({ host, port: Number(port) })
    const timer = setInterval(() => socket.write('y'), 2_000)
    socket.on('error', () => {}).on('close', () => clearInterval(timer))
    socket.write(`POST ${testPath} HTTP/1.1\r\nHost: a\r\nx: `)
    return socket.resume()
  })
}
