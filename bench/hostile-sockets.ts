import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { testPath } from '#testing/app.ts'
import { startServer } from '#testing/processes.ts'
import { countOne, readResidentBytes } from './report.ts'
import { makeLead } from './visitors.ts'

/** Sends malformed HTTP over a plain socket. */

const lead = JSON.stringify(makeLead('Zoë'))
const length = `Content-Length: ${Buffer.byteLength(lead)}`
const close = 'Connection: close'
const post = (...lines: string[]) =>
  `${[`POST ${testPath} HTTP/1.1`, 'Host: localhost', 'apikey: public-anon-key', 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`
const request = (requestLine: string, ...lines: string[]) =>
  `${[`${requestLine} HTTP/1.1`, 'Host: a', close, ...lines].join('\r\n')}\r\n\r\n`
const complete = post(length, close) + lead
const chunked = post('Transfer-Encoding: chunked')
const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at))

type Attack = [
  /** The allowed status codes; 0 means that the connection closed without a response. */
  expected: readonly number[],
  text: string | Uint8Array,
  /** Half-closes the connection after sending the text. */
  isHalfClosed?: true,
]

const attacks: Record<string, Attack> = {
  'a complete request': [[200], complete],
  // Node closes its half too, so the response may not arrive even though the lead is stored.
  'a complete request, then half-closed': [[0, 200], post(length) + lead, true],
  '10,000 headers': [[431], post(...repeat(10_000, (at) => `x-${at}: ${at}`))],
  'one header of 100 KB': [[431], post(`x: ${'y'.repeat(100_000)}`)],
  'a path of 100 KB': [[431], request(`GET /${'a'.repeat(100_000)}`)],
  'a body shorter than its length': [[0, 400], post('Content-Length: 5000') + lead, true],
  'a body longer than its length': [[400], `${post('Content-Length: 10')}${lead}\r\n\r\n`, true],
  'two Content-Length headers': [[400], post(length, 'Content-Length: 3') + lead],
  'Content-Length and chunks': [
    [400],
    `${post('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  'a chunk extension of 100 KB': [[400, 413], `${chunked}1;${'x'.repeat(100_000)}\r\n`],
  'chunks over the limit': [
    [413],
    `${chunked}${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(20)}0\r\n\r\n`,
    true,
  ],
  'no Host header': [[400], 'GET / HTTP/1.1\r\n\r\n'],
  'a path that is not UTF-8': [
    [400, 404],
    Buffer.from(request('GET /\xff\xfe%ff%00%zz'), 'latin1'),
  ],
  'the URL of another site': [[200, 400, 404], request('GET http://evil.example/')],
  'a path that starts with two slashes': [[400, 404], request('GET //evil.example/x')],
  'path traversal': [[404], request('GET /..%2f..%2fpackage.json')],
  'a path that cannot be decoded': [[404], request('GET /%E0%A4%A')],
  'OPTIONS *': [[204, 400, 404, 405], request('OPTIONS *')],
  TRACE: [[400, 405], request(`TRACE ${testPath}`)],
  CONNECT: [[0], request('CONNECT evil.example:443')],
  'an upgrade': [
    [0, 200, 400],
    request('GET /', 'Connection: Upgrade', 'Upgrade: websocket'),
    true,
  ],
  'an unknown method': [[400], request('BREW /')],
  'a TLS handshake': [[400], Buffer.from('16030100a5010000a10303', 'hex')],
  'an empty request': [[0], '', true],
}

/** Runs every attack against one server, `rounds` times. */
export async function trySockets(dataDir: string, rounds: number) {
  await using server = startServer({
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '0',
    // Limit the heap, so that a memory leak crashes the process.
    NODE_OPTIONS: '--max-old-space-size=96',
  })
  const url = await server.findUrl()
  const failures = new Set<string>()
  const memory: number[] = []
  const statuses = new Map<number, number>()
  let sent = 0
  const run = async (name: string, expected: readonly number[], send: Send, count?: number) => {
    const received = await exchange(url, send)
    sent += 1
    for (const status of received) countOne(statuses, status)
    const isComplete = count === undefined || received.length === count
    if (!isComplete || !received.every((status) => expected.includes(status)))
      failures.add(`${name}: ${received.join()}`)
  }
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Object.entries(attacks).map(([name, [expected, text, isHalfClosed]]) =>
        run(name, expected, (socket) => {
          socket.write(text)
          if (isHalfClosed) socket.end()
        }),
      ),
    )
    const pipelined = (post(length) + lead).repeat(9) + complete
    await run('ten pipelined leads', [200], (socket) => socket.write(pipelined), 10)
    await run('byte by byte', [200], drip, 1)
    memory.push(readResidentBytes(server.pid))
  }
  if ((await server.kill('SIGTERM')) !== 0) failures.add('the server did not stop normally')
  const { stderr } = server.output
  if (/failed unexpectedly|can be stored/.test(stderr)) failures.add(`the server logged ${stderr}`)
  return { sent, memory, statuses, failures }
}

type Send = (socket: Socket) => unknown

async function drip(socket: Socket): Promise<void> {
  socket.setNoDelay()
  for (const byte of Buffer.from(complete)) {
    socket.write(Uint8Array.of(byte))
    await nextTurn()
  }
}

/** Returns the status codes in order: 0 for a connection closed without one, -1 for one that stayed open. */
async function exchange(url: string, send: Send): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  let response = ''
  socket.setEncoding('latin1').on('data', (data) => {
    response += data
  })
  // The server may reject a request before all of it is sent; only the response counts.
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  socket.on('connect', () => send(socket))
  socket.setTimeout(30_000, () => {
    response += 'HTTP/1.1 -1 '
    socket.destroy()
  })
  await closed
  const statuses = [...response.matchAll(/HTTP\/1\.1 (-1|\d{3}) /g)].map(([, status]) =>
    Number(status),
  )
  return statuses.length > 0 ? statuses : [0]
}
