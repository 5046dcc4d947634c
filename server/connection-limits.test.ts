import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { waitUntil } from '#testing/processes.ts'
import {
  type ConnectionLimits,
  connectionLimits,
  createLimitedServer,
} from './connection-limits.ts'

async function listen(changes: Partial<ConnectionLimits>, behindProxy = false) {
  const limits = { ...connectionLimits, checkEveryMs: 20, unusedMs: 20, ...changes }
  const answer = async (request: Request) => {
    if (request.url.endsWith('/refused')) return new Response('too large', { status: 413 })
    await request.text()
    return new Response(request.url.endsWith('/large') ? Buffer.alloc(64 * 1024 * 1024) : 'here')
  }
  const server = createLimitedServer(answer, { behindProxy }, limits)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  /** Opens a connection and sends the text; `ended` resolves to the whole response. */
  const talk = (text: string) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' })
    let answer = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      answer += data
    })
    const ended = new Promise<string>((resolve) => {
      socket.on('close', () => resolve(answer))
    })
    const answered = new Promise<string>((resolve) => {
      socket.on('data', () => resolve(answer))
    })
    socket.write(text)
    return { socket, ended, answered }
  }
  return Object.assign(talk, { server })
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

it.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nx: '],
  ['body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx'],
])('closes a connection that never finishes its %s', async (_, text) => {
  const talk = await listen({ headersMs: 50, requestMs: 100 })
  expect(await talk(text).ended).toMatch(/^HTTP\/1\.1 408 /)
})

it('closes a connection whose client does not read the response', async () => {
  const talk = await listen({ idleMs: 100 })
  const { socket, ended } = talk('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
  socket.pause()
  const [accepted] = await once(talk.server, 'connection')
  await once(accepted, 'close')
  socket.resume()
  expect((await ended).length).toBeLessThan(64 * 1024 * 1024)
})

it('drops connections above the maximum', async () => {
  const talk = await listen({ connections: 2 })
  for (let at = 0; at < 2; at++) expect(await talk(request).answered).toMatch(/here$/)
  expect(await talk(request).ended).toBe('')
})

it('answers pipelined requests up to the cap, and closes the connection above it', async () => {
  const talk = await listen({ unansweredPerConnection: 3 })
  const countAnswers = (text: string) => text.match(/HTTP\/1\.1 200 /g)?.length ?? 0
  const last = request.replace('Host', 'Connection: close\r\nHost')
  expect(countAnswers(await talk(request.repeat(2) + last).ended)).toBe(3)
  expect(countAnswers(await talk(request.repeat(3) + last).ended)).toBe(0)
})

it('closes a connection after its last allowed request instead of answering 503', async () => {
  const talk = await listen({ requestsPerConnection: 2 })
  expect(await talk(request.repeat(5)).ended).not.toMatch(/HTTP\/1\.1 503 /)
})

it.each([
  ['large', 'Content-Length: 2000000', 'x'.repeat(2_000_000)],
  ['unfinished', 'Content-Length: 2000', 'x'],
  ['chunked', 'Transfer-Encoding: chunked', '1\r\nx\r\n'],
])('answers in full and closes the connection after an unread %s body', async (_, header, body) => {
  const talk = await listen({ lingerMs: 50 })
  const answer = await talk(`POST /refused HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`).ended
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*too large$/is)
})

it('keeps idle connections open longer behind a proxy', async () => {
  const direct = await (await listen({}))(request).answered
  const proxied = await (await listen({}, true))(request).answered
  expect([direct, proxied].map((answer) => /Keep-Alive: (timeout=\d+)/.exec(answer)?.[1])).toEqual([
    'timeout=5',
    'timeout=75',
  ])
})

it('answers a request that arrives while the server is stopping', async () => {
  const talk = await listen({ unusedMs: 60_000 })
  talk.server.once('connection', () => talk.server.close())
  const { ended } = talk(request.replace('Host', 'Connection: close\r\nHost'))
  expect(await ended).toMatch(/^HTTP\/1\.1 200 .*here$/s)
})

it('on stop, closes unused connections and answers requests that have begun', async () => {
  const talk = await listen({})
  const begun = talk('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-')
  const [socket] = await once(talk.server, 'connection')
  await waitUntil(() => socket.bytesRead > 0)
  const unused = talk('')
  await once(talk.server, 'connection')
  talk.server.close()
  expect(await unused.ended).toBe('')
  begun.socket.write('Length: 1\r\n\r\nx')
  expect(await begun.ended).toMatch(/^HTTP\/1\.1 200 .*here$/s)
})
