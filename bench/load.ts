// More than one machine can be asked for: visitors who never pause, readers, and connections that
// only hold on. One server process with SQLite on this machine, the load from the same machine.
//   npm run bench:load -- [--minutes 1] [--connections 1600] [--holders 400]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { countLeads } from '#leads/store/reading.ts'
import { findPercentile } from '#owner/promise-report.ts'
import { formatTable } from '#owner/terminal.ts'
import { openDatabase } from '#server/database.ts'
import { startServer } from '#testing/processes.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    connections: { type: 'string', default: '1600' },
    holders: { type: 'string', default: '400' },
  },
})
const runMs = Number(values.minutes) * 60_000
const connections = Number(values.connections)
const holders = Number(values.holders)
const say = (text: string) => process.stdout.write(`${text}\n`)

type Kind = 'lead' | 'page' | 'health'
type Answer = { kind: Kind; status: number; tookMs: number }
type Tally = { statuses: Map<number, number>; times: number[]; withoutRetryAfter: number }

const lead = JSON.stringify({
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '123 Main St, Springfield, IL 62701',
  serviceType: 'roof-repair',
})
const get = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br\r\n\r\n`
const requests: Record<Kind, string> = {
  lead: `POST /functions/v1/submit-to-airtable HTTP/1.1\r\nHost: localhost\r\napikey: public-anon-key\r\nContent-Type: application/json\r\nContent-Length: ${lead.length}\r\n\r\n${lead}`,
  page: get('/'),
  health: get('/healthz'),
}

const dataDir = mkdtempSync(join(tmpdir(), 'load-'))
const server = startServer({
  DATA_DIR: dataDir,
  RATE_LIMIT_PER_MINUTE: '0',
  // So small a heap that a leak ends the process instead of hiding in a large machine's memory.
  NODE_OPTIONS: '--max-old-space-size=128',
})
let isOver = false

try {
  const { port } = new URL(await server.findUrl())
  const alone = await measure(Number(port), 16, Math.min(5_000, runMs))
  say(`16 connections, nobody else: ${describeRate(alone, Math.min(5_000, runMs))}`)

  say(
    `\n${connections} connections without a pause, ${holders} that hold on and send a byte now and then, ${values.minutes} min`,
  )
  const slow = hold(Number(port), holders)
  const loading = measure(Number(port), connections, runMs)
  const memory = watchMemory(runMs)
  const answers = await loading
  isOver = true
  slow.stop()
  const megabytes = await memory
  say(`  ${describeRate(answers, runMs)}`)
  say(
    formatTable(
      ['Request', 'Answers', 'Median', '99 %', 'Slowest', 'By status'].map((title) => ({
        title,
        minWidth: title.length,
      })),
      [...answers].map(([kind, { statuses, times }]) => {
        times.sort((a, b) => a - b)
        const percentile = (part: number) => `${Math.round(findPercentile(times, part) ?? 0)} ms`
        return [
          kind,
          String(times.length),
          percentile(0.5),
          percentile(0.99),
          percentile(1),
          [...statuses]
            .sort()
            .map(([status, n]) => `${status}: ${n}`)
            .join(', '),
        ]
      }),
    ),
  )
  say(`  memory in MB over time: ${thin(megabytes, 24).join(' ')}`)
  say(`  connections that held on and were closed by the server: ${slow.closed()}`)

  // After the storm one visitor must find everything as it was.
  const after = await measure(Number(port), 1, 1_000)
  say(`  one visitor afterwards: ${describeRate(after, 1_000)}`)
  judge(answers, after, megabytes, slow.closed())
  const exitCode = await server.kill('SIGTERM')
  const db = await openDatabase({ dataDir })
  const stored = await countLeads(db)
  await db.close()
  const acknowledged = [alone, answers, after].reduce(
    (sum, all) => sum + (all.get('lead')?.statuses.get(200) ?? 0),
    0,
  )
  say(`  leads acknowledged ${acknowledged}, stored ${stored}`)
  if (exitCode !== 0) sayFault('the server did not end by itself')
  if (stored < acknowledged) sayFault('acknowledged leads are missing')
} finally {
  await server.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
}

/** Every connection sends its next request when it has the answer to the last. */
async function measure(port: number, count: number, forMs: number): Promise<Map<Kind, Tally>> {
  const tally = new Map<Kind, Tally>()
  const endAt = performance.now() + forMs
  let broken = 0
  const run = async (at: number) => {
    let client: Client | undefined
    for (let turn = at; performance.now() < endAt; turn++) {
      const kind: Kind = turn % 20 === 0 ? 'health' : turn % 5 === 0 ? 'page' : 'lead'
      try {
        client ??= await openClient(port, `127.0.${10 + (at % 32)}.1`)
        record(tally, { kind, ...(await client.ask(kind)) })
      } catch {
        broken += 1
        client?.close()
        client = undefined
        await pause(100)
      }
    }
    client?.close()
  }
  await Promise.all(Array.from({ length: count }, (_, at) => run(at)))
  if (broken > 0) say(`  connections that broke: ${broken}`)
  return tally
}

function record(all: Map<Kind, Tally>, answer: Answer & { retryAfter: boolean }): void {
  const { kind, status, tookMs, retryAfter } = answer
  const tally: Tally = all.get(kind) ?? { statuses: new Map(), times: [], withoutRetryAfter: 0 }
  all.set(kind, tally)
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  tally.times.push(tookMs)
  if ((status === 503 || status === 429) && !retryAfter) tally.withoutRetryAfter += 1
}

type Client = Awaited<ReturnType<typeof openClient>>

/** As little work a request as possible: the load must not be the bottleneck. */
async function openClient(port: number, localAddress: string) {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('error', reject)
  })
  let received = ''
  let settle: { resolve: (head: string) => void; reject: (error: Error) => void } | undefined
  socket.setEncoding('latin1')
  socket.on('data', (data: string) => {
    received += data
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = received.slice(0, end)
    const length = Number(head.match(/content-length: (\d+)/i)?.[1] ?? 0)
    if (received.length < end + 4 + length) return
    received = received.slice(end + 4 + length)
    settle?.resolve(head)
  })
  const fail = () => settle?.reject(new Error('the connection broke'))
  socket.on('error', fail)
  socket.on('close', fail)
  return {
    async ask(kind: Kind) {
      const startedAt = performance.now()
      const head = await new Promise<string>((resolve, reject) => {
        settle = { resolve, reject }
        if (socket.destroyed) reject(new Error('the connection broke'))
        else socket.write(requests[kind])
      })
      return {
        status: Number(head.slice(9, 12)),
        retryAfter: /\r\nretry-after: \d/i.test(head),
        tookMs: performance.now() - startedAt,
      }
    },
    close: () => socket.destroy(),
  }
}

/** Connections that send their headers one byte every other second, from one address. */
function hold(port: number, count: number) {
  let closed = 0
  const sockets = new Set<Socket>()
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (isOver) return
      closed += 1
      setTimeout(open, 200).unref()
    })
    socket.resume()
    socket.write('POST /functions/v1/submit-to-airtable HTTP/1.1\r\nHost: a\r\nx: ')
  }
  for (let at = 0; at < count; at++) open()
  const timer = setInterval(() => {
    for (const socket of sockets) socket.write('y')
  }, 2_000)
  return {
    closed: () => closed,
    stop: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function watchMemory(forMs: number): Promise<number[]> {
  const seen: number[] = []
  for (const endAt = Date.now() + forMs; Date.now() < endAt && !isOver; ) {
    await pause(2_000)
    const kilobytes = readFileSync(`/proc/${server.pid}/status`, 'utf8').match(
      /VmRSS:\s+(\d+)/,
    )?.[1]
    seen.push(Math.round(Number(kilobytes) / 1024))
  }
  return seen
}

function describeRate(all: Map<Kind, Tally>, forMs: number): string {
  const leads = all.get('lead')
  const total = [...all.values()].reduce((sum, { times }) => sum + times.length, 0)
  const perSecond = (n: number) => `${Math.round((n / forMs) * 1000)} a second`
  const times = leads?.times.toSorted((a, b) => a - b) ?? []
  const percentile = (part: number) => `${Math.round(findPercentile(times, part) ?? 0)} ms`
  return `${perSecond(total)} answered, leads stored ${perSecond(leads?.statuses.get(200) ?? 0)}, median ${percentile(0.5)}, 99 % ${percentile(0.99)}`
}

function judge(
  storm: Map<Kind, Tally>,
  after: Map<Kind, Tally>,
  megabytes: number[],
  closed: number,
): void {
  for (const [kind, { statuses, withoutRetryAfter }] of storm) {
    for (const status of statuses.keys())
      if (![200, 429, 503].includes(status)) sayFault(`${kind}: answered ${status}`)
    if (withoutRetryAfter > 0)
      sayFault(`${kind}: ${withoutRetryAfter} refusals without Retry-After`)
  }
  if (!storm.get('lead')?.statuses.get(200)) sayFault('no lead got through')
  for (const [kind, { statuses }] of after)
    if ([...statuses.keys()].some((status) => status !== 200))
      sayFault(`${kind}: still refused afterwards`)
  const half = megabytes.slice(Math.floor(megabytes.length / 2))
  const [early = 0] = half
  // Flat: the second half of the run ends where it began, give or take what a collector leaves lying.
  if (Math.min(...half.slice(-3)) > early * 1.3 + 30)
    sayFault(`memory grew from ${early} to ${half.at(-1)} MB`)
  if (holders > 0 && runMs >= 30_000 && closed === 0)
    sayFault('no connection that held on was closed')
}

function sayFault(fault: string): void {
  say(`  FAULT: ${fault}`)
  process.exitCode = 1
}

function thin<Item>(items: Item[], count: number): Item[] {
  const step = Math.max(1, Math.ceil(items.length / count))
  return items.filter((_, at) => at % step === 0)
}
