import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { testPath } from '#testing/app.ts'
import { countOne } from './report.ts'
import { makeLead } from './visitors.ts'

/** Sends over a plain connection what no HTTP client would send. */

const lead = JSON.stringify(makeLead('Zoë'))
const length = `Content-Length: ${Buffer.byteLength(lead)}`
const close = 'Connection: close'
const post = (...lines: string[]) =>
  `${[`POST ${testPath} HTTP/1.1`, 'Host: localhost', 'apikey: public-anon-key', 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`
const ask = (requestLine: string, ...lines: string[]) =>
  `${[`${requestLine} HTTP/1.1`, 'Host: a', close, ...lines].join('\r\n')}\r\n\r\n`
const whole = post(length, close) + lead
const chunked = post('Transfer-Encoding: chunked')
const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at))

type Attack = [
  /** The statuses it may get; 0 means that the connection ends without one. */
  expected: readonly number[],
  text: string | Uint8Array,
  /** Closes its half of the connection after the text. */
  isHalfClosed?: true,
]

const attacks: Record<string, Attack> = {
  'a whole request': [[200], whole],
  // Node closes its half too, so the lead is stored but the answer may not arrive.
  'a whole request, then half-closed': [[0, 200], post(length) + lead, true],
  '10,000 headers': [[431], post(...repeat(10_000, (at) => `x-${at}: ${at}`))],
  'one header of 100 KB': [[431], post(`x: ${'y'.repeat(100_000)}`)],
  'a path of 100 KB': [[431], ask(`GET /${'a'.repeat(100_000)}`)],
  'a body shorter than its length': [[0, 400], post('Content-Length: 5000') + lead, true],
  'a body longer than its length': [[400], `${post('Content-Length: 10')}${lead}\r\n\r\n`, true],
  'two lengths': [[400], post(length, 'Content-Length: 3') + lead],
  'a length and chunks': [
    [400],
    `${post('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  'a chunk extension of 100 KB': [[400, 413], `${chunked}1;${'x'.repeat(100_000)}\r\n`],
  'chunks over the limit': [
    [413],
    `${chunked}${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(20)}0\r\n\r\n`,
    true,
  ],
  'no host': [[400], 'GET / HTTP/1.1\r\n\r\n'],
  'a path that is not UTF-8': [[400, 404], Buffer.from(ask('GET /\xff\xfe%ff%00%zz'), 'latin1')],
  'the address of another site': [[200, 400, 404], ask('GET http://evil.example/')],
  'a path that begins with two slashes': [[400, 404], ask('GET //evil.example/x')],
  'a path out of the site': [[404], ask('GET /..%2f..%2fpackage.json')],
  'a path that cannot be decoded': [[404], ask('GET /%E0%A4%A')],
  'OPTIONS *': [[204, 400, 404, 405], ask('OPTIONS *')],
  TRACE: [[400, 405], ask(`TRACE ${testPath}`)],
  CONNECT: [[0], ask('CONNECT evil.example:443')],
  'an upgrade': [[0, 200, 400], ask('GET /', 'Connection: Upgrade', 'Upgrade: websocket'), true],
  'an unknown method': [[400], ask('BREW /')],
  'a TLS greeting': [[400], Buffer.from('16030100a5010000a10303', 'hex')],
  nothing: [[0], '', true],
}
export const attackCount = Object.keys(attacks).length

/** Runs every attack, and returns the wrong answers. */
export async function trySockets(url: string, counts = new Map<number, number>()) {
  const faults: string[] = []
  await Promise.all(
    Object.entries(attacks).map(async ([name, [expected, text, isHalfClosed]]) => {
      const statuses = await talk(url, (socket) => {
        socket.write(text)
        if (isHalfClosed) socket.end()
      })
      for (const status of statuses) countOne(counts, status)
      if (!statuses.every((status) => expected.includes(status)))
        faults.push(`${name}: ${statuses.join()}`)
    }),
  )
  const together = await talk(url, (socket) =>
    socket.write((post(length) + lead).repeat(9) + whole),
  )
  if (together.join() !== Array(10).fill(200).join())
    faults.push(`ten leads in one write: ${together.join()}`)
  const byteByByte = await talk(url, drip)
  if (byteByByte.join() !== '200') faults.push(`byte by byte: ${byteByByte.join()}`)
  return faults
}

async function drip(socket: Socket): Promise<void> {
  socket.setNoDelay()
  for (const byte of Buffer.from(whole)) {
    socket.write(Uint8Array.of(byte))
    await nextTurn()
  }
}

/** Returns the statuses in order, 0 if the connection ended without one, -1 if it stayed open. */
async function talk(url: string, speak: (socket: Socket) => unknown): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  let answer = ''
  socket.setEncoding('latin1').on('data', (data) => {
    answer += data
  })
  // The server may reject a request that is still being written; the answer counts.
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  socket.on('connect', () => speak(socket))
  socket.setTimeout(30_000, () => {
    answer += 'HTTP/1.1 -1 '
    socket.destroy()
  })
  await closed
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (-1|\d{3}) /g)].map(([, status]) =>
    Number(status),
  )
  return statuses.length > 0 ? statuses : [0]
}
