import { connect, type Socket } from 'node:net'
import { setImmediate as look } from 'node:timers/promises'
import { anonKey } from './hostile-requests.ts'
import { pickOne } from './random.ts'

/** What no HTTP client would say, said over a plain connection. */

const path = '/functions/v1/submit-to-airtable'
const lead = JSON.stringify({
  name: 'Zoë',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'other',
})
const leadBytes = Buffer.byteLength(lead)
const head = (lines: string[], requestLine = `POST ${path} HTTP/1.1`) =>
  `${[requestLine, 'Host: localhost', `apikey: ${anonKey}`, 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`
const whole = head([`Content-Length: ${leadBytes}`, 'Connection: close']) + lead

export type Attack = {
  text: string | Uint8Array
  /** Closes its half of the connection after the text. */
  end?: boolean
  /** The statuses it may get; an empty list: the connection just ends. */
  expect: readonly number[]
}

const bad = [400]

export const attacks: Record<string, Attack> = {
  'a whole request': { text: whole, expect: [200] },
  'a whole request, then half-closed': {
    text: head([`Content-Length: ${leadBytes}`]) + lead,
    end: true,
    // Node ends its half too: the lead is stored, and the answer may come too late to be sent.
    expect: [0, 200],
  },
  '10,000 headers': {
    text: head(Array.from({ length: 10_000 }, (_, at) => `x-${at}: ${at}`)),
    expect: [431],
  },
  '1,500 short headers': {
    text:
      head([
        ...Array.from({ length: 1_500 }, (_, at) => `a${at}:b`),
        `Content-Length: ${leadBytes}`,
        'Connection: close',
      ]) + lead,
    expect: [200, 431],
  },
  'one header of 100 KB': { text: head([`x: ${'y'.repeat(100_000)}`]), expect: [431] },
  'a path of 100 KB': { text: `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`, expect: [431] },
  'a body shorter than its length, half-closed': {
    text: head(['Content-Length: 5000']) + lead,
    end: true,
    expect: [...bad, 0],
  },
  'a body longer than its length': {
    text: `${head(['Content-Length: 10'])}${lead}\r\n\r\n`,
    end: true,
    expect: bad,
  },
  'a length below zero': { text: head(['Content-Length: -1']) + lead, expect: bad },
  'a length that is no number': { text: head(['Content-Length: ten']) + lead, expect: bad },
  'a length beyond all numbers': {
    text: head(['Content-Length: 99999999999999999999']) + lead,
    expect: bad,
  },
  'two lengths': {
    text: head([`Content-Length: ${leadBytes}`, 'Content-Length: 3']) + lead,
    expect: bad,
  },
  'a length and chunks': {
    text: `${head(['Content-Length: 3', 'Transfer-Encoding: chunked'])}0\r\n\r\n`,
    expect: bad,
  },
  'an unknown transfer coding': {
    text: `${head(['Transfer-Encoding: chunked, x'])}0\r\n\r\n`,
    expect: bad,
  },
  'a chunk size that is no number': {
    text: `${head(['Transfer-Encoding: chunked'])}zz\r\n${lead}\r\n`,
    expect: bad,
  },
  'a chunk size beyond all numbers': {
    text: `${head(['Transfer-Encoding: chunked'])}ffffffffffffffffff\r\n`,
    expect: bad,
  },
  'a chunk extension of 100 KB': {
    text: `${head(['Transfer-Encoding: chunked'])}1;${'x'.repeat(100_000)}\r\n`,
    expect: [400, 413],
  },
  'chunks over the limit': {
    text: `${head(['Transfer-Encoding: chunked'])}${'400\r\n'.concat('x'.repeat(1024), '\r\n').repeat(20)}0\r\n\r\n`,
    end: true,
    expect: [413],
  },
  'no host': { text: 'GET / HTTP/1.1\r\n\r\n', expect: bad },
  'two hosts': {
    text: 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    end: true,
    expect: [200, 400],
  },
  'a host that is none': {
    text: 'GET / HTTP/1.1\r\nHost: [::x y\r\nConnection: close\r\n\r\n',
    expect: [200, 400],
  },
  'an empty host': { text: 'GET / HTTP/1.1\r\nHost: \r\n\r\n', end: true, expect: [200, 400] },
  'a path with bytes that are no text': {
    text: Buffer.from(
      'GET /\xff\xfe%ff%00%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'latin1',
    ),
    expect: [400, 404],
  },
  'the address of another site': {
    text: 'GET http://evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    expect: [200, 400, 404],
  },
  'a path that begins with two slashes': {
    text: 'GET //evil.example/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    expect: [400, 404],
  },
  'a path without a slash': {
    text: 'GET x HTTP/1.1\r\nHost: a\r\n\r\n',
    end: true,
    expect: [400, 404],
  },
  'OPTIONS *': {
    text: 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    expect: [204, 400, 404, 405],
  },
  TRACE: {
    text: `TRACE ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    expect: [400, 405],
  },
  CONNECT: { text: 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n', expect: [0] },
  'an upgrade': {
    text: 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    end: true,
    expect: [0, 200, 400],
  },
  'an expectation nobody can meet': {
    text: head(['Expect: the impossible', 'Content-Length: 3', 'Connection: close']),
    expect: [417],
  },
  'an unknown method': { text: 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', expect: bad },
  'HTTP/0.9': { text: 'GET /\r\n', end: true, expect: [0, ...bad] },
  'HTTP/2': { text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expect: [0, 400] },
  'a TLS greeting': { text: Buffer.from('16030100a5010000a10303', 'hex'), expect: bad },
  'a NUL in a header': { text: head(['x: a\0b']), expect: bad },
  'a folded header': {
    text: head(['x: a', ' b', 'Content-Length: 0']),
    end: true,
    expect: [200, 400, 422],
  },
  'bare line feeds': { text: 'GET / HTTP/1.1\nHost: a\n\n', expect: bad },
  nothing: { text: '', end: true, expect: [0] },
  'half a request line, half-closed': { text: 'POS', end: true, expect: [0, 400] },
}

/** The statuses that came back, in order; 0 when the connection ended without any. */
export async function attack(
  url: string,
  { text, end }: Attack,
  timeoutMs = 10_000,
): Promise<number[]> {
  const answer = await talk(url, timeoutMs, (socket) => {
    socket.write(text)
    if (end) socket.end()
  })
  const statuses = readStatuses(answer)
  return statuses.length > 0 ? statuses : [0]
}

const readStatuses = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** What is wrong with the answer; undefined: nothing. */
export async function findSocketFault(
  url: string,
  name: string,
  one: Attack,
): Promise<string | undefined> {
  try {
    const statuses = await attack(url, one)
    const isExpected = statuses.every((status) => one.expect.includes(status))
    return isExpected ? undefined : `${name}: ${statuses.join(', ')}`
  } catch (error) {
    return `${name}: ${(error as Error).message}`
  }
}

/** Many requests in one breath: each is answered, in order. */
export async function pipeline(url: string, count: number): Promise<number[]> {
  const one = head([`Content-Length: ${leadBytes}`]) + lead
  const statuses = await attack(
    url,
    {
      text: one.repeat(count - 1) + whole,
      expect: [],
    },
    30_000,
  )
  return statuses
}

/** A whole request, byte by byte: slow, but somebody's. */
export async function drip(url: string): Promise<number[]> {
  const answer = await talk(url, 30_000, async (socket) => {
    socket.setNoDelay()
    for (const byte of Buffer.from(whole)) {
      socket.write(Uint8Array.of(byte))
      await look()
    }
  })
  return readStatuses(answer)
}

/** A whole request with bytes turned, taken out and put in. */
export function mangle(random: () => number): Attack {
  const bytes = [...Buffer.from(whole)]
  for (let times = 1 + Math.floor(random() * 8); times > 0; times--) {
    const at = Math.floor(random() * bytes.length)
    const change = pickOne(['turn', 'remove', 'insert'] as const, random)
    const byte = Math.floor(random() * 256)
    bytes.splice(at, change === 'insert' ? 0 : 1, ...(change === 'remove' ? [] : [byte]))
  }
  // Half-closed, so that the server does not wait for the rest of a body that got longer.
  return { text: Uint8Array.from(bytes), end: true, expect: [] }
}

function talk(url: string, timeoutMs: number, speak: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let answer = ''
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no end after ${timeoutMs / 1000} s, so far: ${answer.slice(0, 100)}`))
    }, timeoutMs)
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
  })
}
