import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectionLimits, connectionLimits, limitConnections } from './connection-limits.ts'

async function listen(changes: Partial<ConnectionLimits>, countsClients = true) {
  const limits = { ...connectionLimits, checkEveryMs: 20, ...changes }
  const server: Server = createServer(
    { connectionsCheckingInterval: limits.checkEveryMs },
    (request, response) => {
      request.resume()
      if (request.url === '/large') response.end(Buffer.alloc(64 * 1024 * 1024))
      else request.on('end', () => response.end('here'))
    },
  )
  limitConnections(server, limits, { countsClients })
  const firstClosed = new Promise<void>((resolve) => {
    server.once('connection', (socket) => socket.once('close', () => resolve()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  /** A connection from any loopback address that says something; `ended` is all that came back. */
  const talk = (text: string, from = '127.0.0.1') => {
    const socket: Socket = connect({ port, host: '127.0.0.1', localAddress: from })
    let answer = ''
    const ended = new Promise<string>((resolve) => {
      socket.on('error', () => {})
      socket.on('close', () => resolve(answer))
    })
    const answered = new Promise<string>((resolve) => {
      socket.on('data', (data) => {
        answer += data
        resolve(answer)
      })
      socket.on('close', () => resolve(answer))
    })
    socket.write(text)
    return { socket, ended, answered }
  }
  return Object.assign(talk, { firstClosed })
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

it.each([
  ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nx: '],
  ['body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx'],
])('closes a connection whose %s does not end', async (_, text) => {
  const talk = await listen({ headersMs: 50, requestMs: 100 })
  expect(await talk(text).ended).toMatch(/^HTTP\/1\.1 408 /)
})

it('closes a connection whose client does not read its answer', async () => {
  const talk = await listen({ idleMs: 100 })
  const { socket, ended } = talk('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
  socket.pause()
  await talk.firstClosed
  socket.resume()
  expect((await ended).length).toBeLessThan(64 * 1024 * 1024)
})

// macOS has one loopback address only.
describe.skipIf(process.platform === 'darwin')('lets hold only so many connections', () => {
  const senders = ['127.0.5.1', '127.0.5.2', '127.0.5.3', '127.0.5.4']
  it.each([
    ['one client', { connectionsPerClient: 3 }, Array(4).fill('127.0.5.1')],
    ['one network', { connectionsPerNetwork: 3 }, senders],
  ])('%s, and serves the others', async (_, limits, [first, ...others]) => {
    const talk = await listen(limits)
    const held = [first, ...others.slice(1)].map((from) => talk('GET / HTTP/1.1\r\n', from))
    const refused = await talk(request, others[0]).ended
    expect(refused).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n/)
    expect(await talk(request, '127.0.6.1').answered).toMatch(/^HTTP\/1\.1 200 /)
    held[0]?.socket.destroy()
    await held[0]?.ended
    // The server hears of the end a moment later.
    let answer = ''
    while (!answer.startsWith('HTTP/1.1 200 ')) answer = await talk(request, others[0]).answered
  })
})

it('holds only so many connections at all', async () => {
  const talk = await listen({ connections: 2 })
  for (let at = 0; at < 2; at++) expect(await talk(request).answered).toMatch(/here$/)
  expect(await talk(request).ended).toBe('')
})

it('answers so many requests that come in one breath, and closes on a client that sends more', async () => {
  const talk = await listen({ unansweredPerConnection: 3 })
  const countAnswers = (text: string) => text.match(/HTTP\/1\.1 200 /g)?.length ?? 0
  const last = request.replace('Host', 'Connection: close\r\nHost')
  expect(countAnswers(await talk(request.repeat(2) + last).ended)).toBe(3)
  expect(countAnswers(await talk(request.repeat(3) + last).ended)).toBe(0)
})

it('does not count clients behind a proxy, where every connection is the proxy’s', async () => {
  const talk = await listen({ connectionsPerClient: 1 }, false)
  const answers = [1, 2, 3].map(() => talk(request).answered)
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /)
})

it('keeps a connection longer than a proxy does: its next lead must not meet a closed one', async () => {
  const direct = await (await listen({}))(request).answered
  const proxied = await (await listen({}, false))(request).answered
  expect([direct, proxied].map((answer) => /Keep-Alive: (\S+)/.exec(answer)?.[1])).toEqual([
    'timeout=5,',
    'timeout=75,',
  ])
})
