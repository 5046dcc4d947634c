import { connect, type Socket } from 'node:net'
import { setImmediate as look } from 'node:timers/promises'
import { pickOne } from '#demo/random.ts'
import { anonKey } from './hostile-requests.ts'
import { countOne } from './report.ts'
import { functionPath, makeLead } from './visitors.ts'

/** What no HTTP client would say, said over a plain connection. */

const lead = JSON.stringify(makeLead('Zoë'))
const length = `Content-Length: ${Buffer.byteLength(lead)}`
const close = 'Connection: close'
const post = (...lines: string[]) =>
  `${[`POST ${functionPath} HTTP/1.1`, 'Host: localhost', `apikey: ${anonKey}`, 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`
const ask = (requestLine: string, ...lines: string[]) =>
  `${[`${requestLine} HTTP/1.1`, 'Host: a', close, ...lines].join('\r\n')}\r\n\r\n`
const whole = post(length, close) + lead
const chunked = post('Transfer-Encoding: chunked')
const repeat = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at))

type Attack = [
  /** The statuses it may get; 0: the connection just ends. */
  expected: readonly number[],
  text: string | Uint8Array,
  /** Closes its half of the connection after the text. */
  isHalfClosed?: true,
]

const bad = [400]

const attacks: Record<string, Attack> = {
  'a whole request': [[200], whole],
  // Node ends its half too: the lead is stored, and the answer may come too late to be sent.
  'a whole request, then half-closed': [[0, 200], post(length) + lead, true],
  '10,000 headers': [[431], post(...repeat(10_000, (at) => `x-${at}: ${at}`))],
  '1,500 short headers': [
    [200, 431],
    post(...repeat(1_500, (at) => `a${at}:b`), length, close) + lead,
  ],
  'one header of 100 KB': [[431], post(`x: ${'y'.repeat(100_000)}`)],
  'a path of 100 KB': [[431], ask(`GET /${'a'.repeat(100_000)}`)],
  'a body shorter than its length': [[0, 400], post('Content-Length: 5000') + lead, true],
  'a body longer than its length': [bad, `${post('Content-Length: 10')}${lead}\r\n\r\n`, true],
  'a length below zero': [bad, post('Content-Length: -1') + lead],
  'a length that is no number': [bad, post('Content-Length: ten') + lead],
  'a length beyond all numbers': [bad, post('Content-Length: 99999999999999999999') + lead],
  'two lengths': [bad, post(length, 'Content-Length: 3') + lead],
  'a length and chunks': [
    bad,
    `${post('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  'an unknown transfer coding': [bad, `${post('Transfer-Encoding: chunked, x')}0\r\n\r\n`],
  'a chunk size that is no number': [bad, `${chunked}zz\r\n${lead}\r\n`],
  'a chunk size beyond all numbers': [bad, `${chunked}ffffffffffffffffff\r\n`],
  'a chunk extension of 100 KB': [[400, 413], `${chunked}1;${'x'.repeat(100_000)}\r\n`],
  'chunks over the limit': [
    [413],
    `${chunked}${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(20)}0\r\n\r\n`,
    true,
  ],
  'no host': [bad, 'GET / HTTP/1.1\r\n\r\n'],
  'two hosts': [[200, 400], ask('GET /', 'Host: b')],
  'a host that is none': [[200, 400], `GET / HTTP/1.1\r\nHost: [::x y\r\n${close}\r\n\r\n`],
  'an empty host': [[200, 400], `GET / HTTP/1.1\r\nHost: \r\n${close}\r\n\r\n`],
  'a path with bytes that are no text': [
    [400, 404],
    Buffer.from(ask('GET /\xff\xfe%ff%00%zz'), 'latin1'),
  ],
  'the address of another site': [[200, 400, 404], ask('GET http://evil.example/')],
  'a path that begins with two slashes': [[400, 404], ask('GET //evil.example/x')],
  'a path without a slash': [[400, 404], ask('GET x')],
  'a path out of the site': [[404], ask('GET /..%2f..%2fpackage.json')],
  'a path that cannot be decoded': [[404], ask('GET /%E0%A4%A')],
  'OPTIONS *': [[204, 400, 404, 405], ask('OPTIONS *')],
  TRACE: [[400, 405], ask(`TRACE ${functionPath}`)],
  CONNECT: [[0], ask('CONNECT evil.example:443')],
  'an upgrade': [[0, 200, 400], ask('GET /', 'Connection: Upgrade', 'Upgrade: websocket'), true],
  'an expectation nobody can meet': [
    [417],
    post('Expect: the impossible', 'Content-Length: 3', close),
  ],
  'an unknown method': [bad, ask('BREW /')],
  'HTTP/0.9': [[0, 400], 'GET /\r\n', true],
  'HTTP/2': [[0, 400], 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a TLS greeting': [bad, Buffer.from('16030100a5010000a10303', 'hex')],
  'a NUL in a header': [bad, post('x: a\0b')],
  'a folded header': [[200, 400, 422], post('x: a', ' b', 'Content-Length: 0'), true],
  'bare line feeds': [bad, 'GET / HTTP/1.1\nHost: a\n\n'],
  nothing: [[0], '', true],
  'half a request line': [[0, 400], 'POS', true],
}
export const attackCount = Object.keys(attacks).length

/** Every attack, ten leads in one breath, a lead byte by byte, and mangled ones; then what was answered wrongly. */
export async function trySockets(
  url: string,
  mangled: number,
  random: () => number,
  counts = new Map<number, number>(),
): Promise<string[]> {
  const faults: string[] = []
  const expectOnly = async (
    name: string,
    expected: readonly number[],
    asked: Promise<number[]>,
  ) => {
    const statuses = await asked.catch((error: Error) => [error.message])
    if (!statuses.every((status) => expected.includes(Number(status))))
      faults.push(`${name}: ${statuses.join()}`)
    return statuses.length
  }
  await Promise.all(
    Object.entries(attacks).map(([name, [expected, text, isHalfClosed]]) =>
      expectOnly(name, expected, say(url, text, isHalfClosed)),
    ),
  )
  const together = say(url, (post(length) + lead).repeat(9) + whole)
  const answers = await expectOnly('ten in one breath', [200], together)
  if (answers !== 10) faults.push(`ten in one breath: ${answers} answers`)
  await expectOnly('byte by byte', [200], talk(url, drip))
  for (let left = mangled; left > 0; left -= 20) {
    // Half-closed, so that the server does not wait for the rest of a body that got longer.
    const talks = repeat(Math.min(20, left), String).map(() => say(url, mangle(random), true))
    for (const result of await Promise.allSettled(talks)) {
      if (result.status === 'rejected') faults.push(`mangled: ${result.reason.message}`)
      else for (const status of result.value) countOne(counts, status)
    }
  }
  for (const status of counts.keys()) if (status >= 500) faults.push(`mangled: ${status}`)
  return faults
}

async function drip(socket: Socket): Promise<void> {
  socket.setNoDelay()
  for (const byte of Buffer.from(whole)) {
    socket.write(Uint8Array.of(byte))
    await look()
  }
}

/** A whole request with bytes turned, taken out and put in. */
function mangle(random: () => number): Uint8Array {
  const bytes = [...Buffer.from(whole)]
  for (let times = 1 + Math.floor(random() * 8); times > 0; times--) {
    const at = Math.floor(random() * bytes.length)
    const change = pickOne(['turn', 'remove', 'insert'] as const, random)
    const byte = Math.floor(random() * 256)
    bytes.splice(at, change === 'insert' ? 0 : 1, ...(change === 'remove' ? [] : [byte]))
  }
  return Uint8Array.from(bytes)
}

const say = (url: string, text: string | Uint8Array, isHalfClosed?: boolean) =>
  talk(url, (socket) => {
    socket.write(text)
    if (isHalfClosed) socket.end()
  })

/** The statuses that came back, in order; 0 when the connection ended without any. */
async function talk(url: string, speak: (socket: Socket) => unknown): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let answer = ''
  const timer = setTimeout(() => {
    socket.destroy()
    reject(new Error(`no end after 30 s, so far: ${answer.slice(0, 100)}`))
  }, 30_000)
  socket.setEncoding('latin1')
  socket.on('data', (data) => {
    answer += data
  })
  // A refusal may come while the request is still being written: the answer counts, not the break.
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  socket.on('close', () => {
    clearTimeout(timer)
    resolve(answer)
  })
  socket.on('connect', () => speak(socket))
  const statuses = [...(await promise).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) =>
    Number(status),
  )
  return statuses.length > 0 ? statuses : [0]
}
