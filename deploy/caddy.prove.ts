import { once } from 'node:events'
import { get as getHttp, type IncomingMessage } from 'node:http'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { runRolling } from '#bench/rolling-run.ts'
import { testLead, testPath } from '#testing/app.ts'
import { findCaddy, startCaddy, type TestCaddy } from '#testing/caddy.ts'
import { createLocation } from '#testing/database.ts'
import { canTestWith } from '#testing/processes.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'

it.runIf(process.env.CI)('Caddy is there to be tested with', () => {
  expect(findCaddy()).toBeDefined()
})

/** The site as the recipe for one machine has it. */
async function serve(changes: Record<string, string> = {}) {
  const { dataDir } = await createLocation('sqlite')
  const site = spawnServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: '1', ...changes })
  const siteUrl = await site.findUrl()
  const caddy = await startCaddy([new URL(siteUrl).host])
  onTestFinished(caddy.stop)
  return { site, siteUrl, caddy, ask: createClient(caddy) }
}

/** Does not follow, decode or forgive anything, as fetch would. */
const createClient =
  ({ httpsPort, ca }: TestCaddy) =>
  (
    path: string,
    { headers = {} as Record<string, string>, method = 'GET', body = '', host = 'localhost' } = {},
  ): Promise<IncomingMessage & { body: Buffer }> =>
    new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: httpsPort,
        servername: host,
        ca,
        path,
        method,
        agent: false,
        headers: { host: `${host}:${httpsPort}`, ...headers },
      })
      sent.on('error', reject)
      sent.on('response', (response) => {
        buffer(response).then((read) => resolve(Object.assign(response, { body: read })), reject)
      })
      sent.end(body)
    })

const postLead = (ask: Awaited<ReturnType<typeof serve>>['ask'], headers = {}) =>
  ask(testPath, {
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(testLead),
  })

describe.skipIf(!findCaddy())('behind Caddy', () => {
  it('the page comes as it was built: compressed once, every header once', async () => {
    const { ask, siteUrl } = await serve()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding }
      const direct = await new Promise<IncomingMessage>((resolve, reject) => {
        getHttp(siteUrl, { headers }, resolve).on('error', reject)
      })
      const { statusCode, headers: got, rawHeaders, body } = await ask('/', { headers })
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
      const sessions = Array.from({ length: 4 }, () =>
        connect(`https://localhost:${caddy.httpsPort}`, { ca: caddy.ca }).on('error', () => {}),
      )
      onTestFinished(() => {
        for (const session of sessions) session.destroy()
      })
      // Four connections with 200 requests each: more than the site's 700 connections.
      for (const session of sessions)
        for (let at = 0; at < 200; at++)
          session
            .request({
              ':method': 'POST',
              ':path': testPath,
              'content-type': 'application/json',
              'content-length': String(whole),
              apikey: 'public-anon-key',
            })
            .on('error', () => {})
            .write('x'.repeat(sent))
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

  it.each([
    ['without a proxy', '0', 'SIGTERM'],
    ['by Ctrl-C', '1', 'SIGINT'],
  ] as const)('%s it ends at once and takes nothing more', async (_, proxies, signal) => {
    const { dataDir } = await createLocation('sqlite')
    const site = spawnServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: proxies })
    const url = await site.findUrl()
    let code: number | null | undefined
    site.kill(signal).then((ended) => {
      code = ended
    })
    // A process that drains says 503 here for two seconds; otherwise one question may be under way.
    let draining = 0
    while (code === undefined) {
      const asked = fetch(`${url}/readyz`, { headers: { connection: 'close' } })
      const status = await asked.then((answer) => answer.status).catch(() => 0)
      if (status === 503) draining += 1
    }
    expect(code).toBe(0)
    expect(draining).toBeLessThanOrEqual(1)
  })

  // The short form of `npm run bench:rolling`. With one process, requests wait meanwhile.
  it.skipIf(!canTestWith('curl')).each(inject('postgresUrl') ? [1, 2] : [1])(
    '%i processes restart one after the other without one failed request',
    async (processes) => {
      const { databaseUrl } = processes > 1 ? await createLocation('postgres') : {}
      const load = { rounds: 1, visitors: 4 * processes, pauseMs: 20 }
      const run = await runRolling({ databaseUrl, processes, ...load })
      const { failed, lost, doubled, badEnds } = run
      expect([failed, lost, doubled, badEnds]).toEqual([[], [], [], []])
      expect(run.restarts).toBe(processes)
      expect(run.acknowledged).toBeGreaterThan(processes === 1 ? 0 : 100)
      // The form gives up after 10 s.
      if (processes === 1) expect(run.longestMs).toBeLessThan(8_000)
    },
    120_000,
  )
})
