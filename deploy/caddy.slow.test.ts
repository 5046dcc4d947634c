import { once } from 'node:events'
import { createServer, get as getHttp, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testLead, testPath } from '#testing/app.ts'
import { createClient, findCaddy, startCaddy } from '#testing/caddy.ts'
import { createLocation, engines, openLocation } from '#testing/database.ts'
import { findFreePort } from '#testing/processes.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'

/** Runs one process behind Caddy, as docs/hosting.md describes for Debian. */
async function serve(changes: Record<string, string> = {}) {
  const { dataDir } = await createLocation('sqlite')
  const deskPort = await findFreePort()
  const desk = { DESK_URL: 'https://desk.example.com', DESK_PORT: String(deskPort) }
  const site = spawnServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: '1', ...desk, ...changes })
  const siteUrl = await site.findUrl()
  const caddy = await startCaddy([new URL(siteUrl).host], `127.0.0.1:${deskPort}`)
  onTestFinished(caddy.stop)
  return { site, siteUrl, caddy, request: createClient(caddy) }
}

const jsonWithKey = { apikey: 'public-anon-key', 'content-type': 'application/json' }
const postLead = (
  request: ReturnType<typeof createClient>,
  {
    lead = testLead,
    headers = {},
    ...options
  }: { lead?: typeof testLead; headers?: Record<string, string>; localAddress?: string } = {},
) =>
  request(testPath, {
    method: 'POST',
    headers: { ...jsonWithKey, ...headers },
    body: JSON.stringify(lead),
    ...options,
  })

describe.skipIf(!findCaddy() && !process.env.CI)('behind Caddy', () => {
  it('forwards the page unchanged: compressed once, every header once', async () => {
    const { request, siteUrl } = await serve()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding }
      const direct = await new Promise<IncomingMessage>((resolve, reject) => {
        getHttp(siteUrl, { headers }, resolve).on('error', reject)
      })
      const { statusCode, headers: got, rawHeaders, body } = await request('/', { headers })
      expect(statusCode).toBe(200)
      expect(body.equals(await buffer(direct))).toBe(true)
      expect(got['content-encoding'] ?? 'identity').toBe(encoding)
      const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase())
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
      for (const name of Object.keys(direct.headers))
        if (!['date', 'connection', 'keep-alive'].includes(name))
          expect([name, got[name]]).toEqual([name, direct.headers[name]])
      expect(got['strict-transport-security']).toContain('max-age=63072000')
      expect(got.server).toBeUndefined()
    }
  })

  it('supports HTTP/2, answers unknown paths with 404, and redirects http to https', async () => {
    const { request, caddy } = await serve()
    const session = connect(`https://localhost:${caddy.httpsPort}`, { ca: caddy.ca })
    onTestFinished(() => session.close())
    const stream = session.request({ ':path': '/nowhere' })
    const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.once('response', resolve).once('error', reject)
    })
    stream.close()
    expect(session.alpnProtocol).toBe('h2')
    expect(headers[':status']).toBe(404)

    const redirect = await fetch(`http://127.0.0.1:${caddy.httpPort}/page`, {
      redirect: 'manual',
      headers: { host: 'localhost' },
    })
    expect(redirect.status).toBe(308)
    expect(redirect.headers.get('location')).toMatch(/^https:\/\/(localhost|127\.0\.0\.1).*\/page$/)
    const bare = await request('/page', { host: 'example.com' })
    expect([bare.statusCode, bare.headers.location]).toEqual([301, 'https://localhost/page'])
  })

  it('ignores forged X-Forwarded-For headers in the rate limit', async () => {
    const { request } = await serve({ RATE_LIMIT_PER_MINUTE: '2' })
    const statuses: unknown[] = []
    for (let at = 1; at <= 3; at++) {
      const headers = { 'x-forwarded-for': `203.0.113.${at}, 198.51.100.${at}` }
      statuses.push((await postLead(request, { headers })).statusCode)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  it('stores leads that follow a large request on the same connections', async () => {
    const { request } = await serve({ RATE_LIMIT_PER_MINUTE: '0' })
    const body = JSON.stringify({ ...testLead, address: 'x'.repeat(2_000_000) })
    const refused = () => request(testPath, { method: 'POST', headers: jsonWithKey, body })
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        refused(),
        postLead(request),
        refused(),
        postLead(request),
      ])
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([413, 200, 413, 200])
    }
  })

  it.each([
    ['short', 'localhost', 1, 1_000],
    // The part that is sent exceeds Caddy's buffer, and the whole body exceeds what the function accepts.
    ['long', 'localhost', 33_000, 100_000],
    ['short', 'desk.example.com', 1, 1_000],
  ])(
    'serves other visitors while one client has hundreds of unfinished %s requests at %s',
    async (_, host, sent, whole) => {
      const { request, caddy } = await serve()
      const path = host === 'localhost' ? testPath : '/api/session'
      const post = {
        ':authority': host,
        ':method': 'POST',
        ':path': path,
        ...jsonWithKey,
        origin: `https://${host}`,
        'content-length': whole,
      }
      const startedAt = performance.now()
      // Four connections with 200 requests each: more than the site's 700 connections.
      const sessions = Array.from({ length: 4 }, () => {
        const address = `https://localhost:${caddy.httpsPort}`
        const session = connect(address, { ca: caddy.ca, servername: host })
        onTestFinished(() => session.destroy())
        session.on('error', () => {})
        for (let at = 0; at < 200; at++)
          session
            .request(post)
            .on('error', () => {})
            .write('x'.repeat(sent))
        return session
      })
      // All of them have arrived once a later request on the same connection gets a response.
      await Promise.all(
        sessions.map((session) =>
          once(session.request({ ':authority': host, ':path': '/' }).resume(), 'end'),
        ),
      )
      for (let at = 0; at < 10; at++) {
        // Omit the test's port, because the desk answers only requests for its own host name.
        expect((await request('/', { host, headers: { host } })).statusCode).toBe(200)
        expect((await postLead(request)).statusCode).toBe(200)
      }
      // After 30 s, Caddy ends the unfinished requests, so later answers would prove nothing.
      expect(performance.now() - startedAt).toBeLessThan(25_000)
    },
  )

  it('answers requests while it stops, and exits in time', async () => {
    const { request, site, siteUrl } = await serve()
    expect((await request('/readyz')).statusCode).toBe(200)
    expect((await request('/healthz')).statusCode).toBe(200)
    const stoppedAt = Date.now()
    const ended = site.kill('SIGTERM')
    await waitUntil(async () => (await fetch(`${siteUrl}/readyz`)).status === 503)
    for (const path of ['/', '/nowhere']) {
      const answer = await fetch(siteUrl + path)
      expect([answer.headers.get('connection'), answer.ok]).toEqual(['close', path === '/'])
    }
    expect((await fetch(`${siteUrl}/healthz`)).status).toBe(503)
    expect(await ended).toBe(0)
    expect(Date.now() - stoppedAt).toBeLessThan(10_000)
  })

  it('exits immediately without a proxy or on Ctrl-C', async () => {
    for (const [proxies, signal] of [['0', 'SIGTERM'] as const, ['1', 'SIGINT'] as const]) {
      const { dataDir } = await createLocation('sqlite')
      const site = spawnServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: proxies })
      const url = await site.findUrl()
      let code: number | null | undefined
      void site.kill(signal).then((ended) => {
        code = ended
      })
      // A draining process answers 503 for two seconds. One that exits immediately gives at most one such answer.
      const request = () => fetch(`${url}/readyz`, { headers: { connection: 'close' } })
      let drainingAnswers = 0
      while (code === undefined)
        if ((await request().catch(() => {}))?.status === 503) drainingAnswers += 1
      expect(code).toBe(0)
      expect(drainingAnswers).toBeLessThanOrEqual(1)
    }
  })

  it('sends each visitor to one process, and different visitors to both', async () => {
    const hosts = await Promise.all(['first', 'second'].map(answerWith))
    const caddy = await startCaddy(hosts)
    onTestFinished(caddy.stop)
    const request = createClient(caddy)
    const answers = new Set<string>()
    for (let at = 1; at <= 20; at++) {
      const from = { localAddress: `127.1.0.${at}` }
      const [one, two] = [await request('/', from), await request('/picture', from)]
      expect(two.body.toString()).toBe(one.body.toString())
      answers.add(one.body.toString())
    }
    expect([...answers].sort()).toEqual(['first', 'second'])
  })

  it.each(engines)(
    'loses no request while processes restart one after another, on %s',
    async (engine) => {
      const location = await createLocation(engine)
      const start = async (port: number) => {
        const server = spawnServer({
          // Caddy connects from 127.0.0.1 and could take the port of a stopped server.
          HOST: '127.0.0.2',
          PORT: String(port),
          DATA_DIR: location.dataDir,
          DATABASE_URL: location.databaseUrl,
          TRUSTED_PROXIES: '1',
          RATE_LIMIT_PER_MINUTE: '0',
        })
        await server.findUrl()
        return { port, server }
      }
      const count = engine === 'sqlite' ? 1 : 2
      const ports = await Promise.all(Array.from({ length: count }, findFreePort))
      const running = await Promise.all(ports.map(start))
      const caddy = await startCaddy(ports.map((port) => `127.0.0.2:${port}`))
      onTestFinished(caddy.stop)
      const request = createClient(caddy)

      const sent: string[] = []
      const failed: unknown[] = []
      let isDone = false
      const visit = async (localAddress: string) => {
        while (!isDone) {
          const name = `Visitor ${sent.length + 1}`
          sent.push(name)
          const lead = postLead(request, { localAddress, lead: { ...testLead, name } })
          for (const { statusCode } of [await lead, await request('/', { localAddress })])
            if (statusCode !== 200) failed.push(statusCode)
        }
      }
      const visits = [1, 2, 3, 4].map((at) => visit(`127.1.0.${at}`))
      for (const { port, server } of running) {
        expect(await server.kill('SIGTERM')).toBe(0)
        await start(port)
        const before = sent.length
        await waitUntil(() => sent.length > before + 20)
      }
      isDone = true
      await Promise.all(visits)
      expect(failed).toEqual([])
      const db = await openLocation(location)
      const stored = await db.kysely.selectFrom('leads').select('name').execute()
      expect(stored.map(({ name }) => name).sort()).toEqual(sent.sort())
    },
  )
})

async function answerWith(text: string): Promise<string> {
  const server = createServer((_, response) => response.end(text))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
