import { once } from 'node:events'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runRolling } from '#bench/rolling-run.ts'
import { testLead, testPath } from '#testing/app.ts'
import { createClient, findCaddy, readAll, startCaddy } from '#testing/caddy.ts'
import { createLocation, engines } from '#testing/database.ts'
import { canTestWith } from '#testing/processes.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'

/** The site as the recipe for one machine has it. */
async function serve(changes: Record<string, string> = {}) {
  const { dataDir } = await createLocation('sqlite')
  const site = spawnServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: '1', ...changes })
  const siteUrl = await site.findUrl()
  const caddy = await startCaddy([new URL(siteUrl).host])
  onTestFinished(caddy.stop)
  return { site, siteUrl, caddy, ask: createClient(caddy) }
}

const jsonWithKey = { apikey: 'public-anon-key', 'content-type': 'application/json' }
const postLead = (ask: ReturnType<typeof createClient>, more = {}) => {
  const headers = { ...jsonWithKey, ...more }
  return ask(testPath, { method: 'POST', headers, body: JSON.stringify(testLead) })
}

describe.skipIf(!findCaddy() && !process.env.CI)('behind Caddy', () => {
  it('the page comes as it was built: compressed once, every header once', async () => {
    const { ask, siteUrl } = await serve()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding }
      const direct = await new Promise<IncomingMessage>((resolve, reject) => {
        getHttp(siteUrl, { headers }, resolve).on('error', reject)
      })
      const { statusCode, headers: got, rawHeaders, body } = await ask('/', { headers })
      expect(statusCode).toBe(200)
      expect(body.equals(await readAll(direct))).toBe(true)
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

  it('HTTP/2 is spoken, unknown paths are 404, and http is sent to https', async () => {
    const { ask, caddy } = await serve()
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
    const bare = await ask('/page', { host: 'example.com' })
    expect([bare.statusCode, bare.headers.location]).toEqual([301, 'https://localhost/page'])
  })

  it('a forged X-Forwarded-For does not dodge the rate limit', async () => {
    const { ask } = await serve({ RATE_LIMIT_PER_MINUTE: '2' })
    const statuses: unknown[] = []
    for (let at = 1; at <= 3; at++) {
      const headers = { 'x-forwarded-for': `203.0.113.${at}, 198.51.100.${at}` }
      statuses.push((await postLead(ask, headers)).statusCode)
    }
    expect(statuses).toEqual([200, 200, 429])
  })

  it.each([
    ['short', 1, 1_000],
    // More than Caddy keeps and more than the function takes.
    ['long', 33_000, 100_000],
  ])(
    'one client with hundreds of unfinished %s requests keeps nobody out',
    async (_, sent, whole) => {
      const { ask, caddy } = await serve()
      const post = { ':method': 'POST', ':path': testPath, ...jsonWithKey, 'content-length': whole }
      // Four connections with 200 requests each: more than the site's 700 connections.
      const sessions = Array.from({ length: 4 }, () => {
        const session = connect(`https://localhost:${caddy.httpsPort}`, { ca: caddy.ca })
        onTestFinished(() => session.destroy())
        session.on('error', () => {})
        for (let at = 0; at < 200; at++)
          session
            .request(post)
            .on('error', () => {})
            .write('x'.repeat(sent))
        return session
      })
      // All of them have arrived once a later request on the same connection is answered.
      await Promise.all(
        sessions.map((session) => once(session.request({ ':path': '/' }).resume(), 'end')),
      )
      for (let at = 0; at < 10; at++) {
        const askedAt = performance.now()
        expect((await ask('/')).statusCode).toBe(200)
        expect((await postLead(ask)).statusCode).toBe(200)
        expect(performance.now() - askedAt).toBeLessThan(4_000)
      }
    },
  )

  it('a process that stops says so first, answers on, and ends in time', async () => {
    const { ask, site, siteUrl } = await serve()
    expect((await ask('/readyz')).statusCode).toBe(200)
    expect((await ask('/healthz')).statusCode).toBe(200)
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

  it('without a proxy, or by Ctrl-C, it ends at once and takes nothing more', async () => {
    for (const [proxies, signal] of [['0', 'SIGTERM'] as const, ['1', 'SIGINT'] as const]) {
      const { dataDir } = await createLocation('sqlite')
      const site = spawnServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: proxies })
      const url = await site.findUrl()
      let code: number | null | undefined
      void site.kill(signal).then((ended) => {
        code = ended
      })
      // Whoever says goodbye says 503 here for two seconds; otherwise one question may be under way.
      const ask = () => fetch(`${url}/readyz`, { headers: { connection: 'close' } })
      let goodbyes = 0
      while (code === undefined) if ((await ask().catch(() => {}))?.status === 503) goodbyes += 1
      expect(code).toBe(0)
      expect(goodbyes).toBeLessThanOrEqual(1)
    }
  })

  // The short form of `npm run bench:rolling`.
  describe.skipIf(!canTestWith('curl'))('processes restart one after the other', () => {
    it.each(engines)('without one failed request, on %s', { timeout: 120_000 }, async (engine) => {
      const isOne = engine === 'sqlite'
      const { databaseUrl } = await createLocation(engine)
      const load = isOne ? { processes: 1, visitors: 4 } : { processes: 2, visitors: 8 }
      const result = await runRolling({ databaseUrl, rounds: 1, pauseMs: 20, ...load })
      const nothing = { failed: [], lost: [], doubled: [], badEnds: [] }
      expect(result).toMatchObject({ ...nothing, restarts: load.processes })
      // Requests wait while the only process restarts; the form gives up after 10 s.
      if (isOne) expect(result.longestMs).toBeLessThan(8_000)
      else expect(result.acknowledged).toBeGreaterThan(100)
    })
  })
})
