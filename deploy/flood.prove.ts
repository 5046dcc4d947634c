import { once } from 'node:events'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testLead, testPath } from '#testing/app.ts'
import { findCaddy, startCaddy } from '#testing/caddy.ts'
import { createLocation, engines } from '#testing/database.ts'
import { spawnServer } from '#testing/server-process.ts'

const body = JSON.stringify(testLead)
const headers = { apikey: 'public-anon-key', 'content-type': 'application/json' }

// macOS has one loopback address only.
describe.skipIf(!findCaddy() || process.platform === 'darwin')('behind Caddy', () => {
  it.each([
    ...engines.map((engine) => ({ engine, stillMs: 0 })),
    // Caddy waits 8 s for a process if it believes that there is none. A late one is not dead.
    { engine: 'sqlite', stillMs: 12_000 } as const,
  ])(
    'one address with 600 requests in flight keeps none of 20 others out, on $engine, without CPU for $stillMs ms',
    async ({ engine, stillMs }) => {
      const { dataDir, databaseUrl } = await createLocation(engine)
      const site = spawnServer({
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        TRUSTED_PROXIES: '1',
      })
      const caddy = await startCaddy([new URL(await site.findUrl()).host])
      onTestFinished(caddy.stop)
      const { httpsPort, ca } = caddy

      type Answer = { status: number; retryAfter: number }
      const sendOne = (session: ReturnType<typeof connect>) =>
        new Promise<Answer>((resolve) => {
          const stream = session.request({ ':method': 'POST', ':path': testPath, ...headers })
          stream.on('response', (answer) =>
            resolve({
              status: Number(answer[':status']),
              retryAfter: Number(answer['retry-after']),
            }),
          )
          stream.on('error', () => {})
          stream.on('close', () => resolve({ status: 0, retryAfter: 0 }))
          stream.resume().end(body)
        })
      const sessions = Array.from({ length: 6 }, () =>
        connect(`https://localhost:${httpsPort}`, {
          createConnection: () =>
            connectTls({
              socket: connectTcp({ port: httpsPort, host: '127.0.0.1', localAddress: '127.0.5.1' }),
              servername: 'localhost',
              ca,
              ALPNProtocols: ['h2'],
            }),
        }),
      )
      onTestFinished(() => {
        for (const session of sessions) session.destroy()
      })
      await Promise.all(sessions.map((session) => once(session, 'connect')))
      if (stillMs) site.signal('SIGSTOP')
      const flood = sessions.flatMap((session) =>
        Array.from({ length: 100 }, () => sendOne(session)),
      )

      const visit = (at: number) =>
        new Promise<number>((resolve, reject) => {
          const sent = request({
            host: '127.0.0.1',
            port: httpsPort,
            servername: 'localhost',
            ca,
            localAddress: `127.1.${at}.1`,
            path: testPath,
            method: 'POST',
            agent: false,
            headers: { host: `localhost:${httpsPort}`, ...headers },
          })
          sent.on('error', reject)
          sent.on('response', (response) => {
            response.resume()
            resolve(response.statusCode ?? 0)
          })
          sent.end(body)
        })
      // By then Caddy has asked /readyz several times in vain.
      await sleep(stillMs / 4)
      const visits = Array.from({ length: 20 }, (_, at) => visit(at))
      await sleep((stillMs * 3) / 4)
      site.signal('SIGCONT')
      expect(await Promise.all(visits)).toEqual(Array(20).fill(200))
      // The flood got its share of leads, and was told for the rest to come later.
      const answers = await Promise.all(flood)
      const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
      // A Caddy that has no CPU itself hangs up on what it could not read within its 30 s: status 0.
      expect(count(200)).toBeLessThanOrEqual(10)
      expect(count(200) + count(0)).toBeGreaterThanOrEqual(10)
      const refused = answers.filter(({ status }) => status !== 200 && status !== 0)
      expect(refused.length).toBeGreaterThan(0)
      for (const { status, retryAfter } of refused) {
        expect([429, 503]).toContain(status)
        expect(retryAfter).toBeGreaterThan(0)
      }
    },
    120_000,
  )
})
