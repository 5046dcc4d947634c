import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { readPublishedNumber } from '#leads/store/page-versions.ts'
import { createLocation, openLocation } from '#testing/database.ts'
import { findToken } from '#testing/desk.ts'
import { expectValidPolicy } from '#testing/page.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import type { DatabaseLocation } from './database.ts'

/** Runs the server with a desk on which the owner is signed in. */
async function startPageServer({ dataDir, databaseUrl }: DatabaseLocation) {
  const server = spawnServer({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
  const url = await server.findUrl()
  await waitUntil(() => /#enter=\S+\n/.test(server.output.stdout))
  const [link = ''] = server.output.stdout.match(/http:\S+#enter=\S+/) ?? []
  let cookie = ''
  const call = async (method: string, path: string, body?: object) => {
    const { origin } = new URL(link)
    const response = await fetch(origin + path, {
      method,
      headers: { origin, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    cookie ||= response.headers.get('set-cookie')?.split(';')[0] ?? ''
    return response.json()
  }
  await call('POST', '/api/session', { token: findToken(link), person: 'Sam' })
  const saveHeadline = async (headline: string): Promise<number> => {
    const { draft, number } = await call('GET', '/api/page')
    draft.hero.headline = headline
    return (await call('PUT', '/api/page/draft', { base: number, draft })).number
  }
  const publish = async (headline: string) =>
    call('POST', '/api/page/publish', { number: await saveHeadline(headline) })
  /** Checks that the page is complete, and returns its headline. */
  const readHeadline = async () => {
    const { html, headers } = await visit('identity')
    expect(html).toMatch(/<\/html>\s*$/)
    expectValidPolicy(html, headers)
    expect((await visit('br')).html).toBe(html)
    return html.match(/<h1[^>]*>(.*?)<\/h1>/s)?.[1]
  }
  const visit = async (encoding: string) => {
    const response = await fetch(url, { headers: { 'accept-encoding': encoding } })
    return { html: await response.text(), headers: response.headers }
  }
  return { server, saveHeadline, publish, call, readHeadline }
}

it('shows a whole page, the old or the new one, after a kill at any moment of publishing', async () => {
  const location = await createLocation('sqlite')
  let site = await startPageServer(location)
  const startedAt = performance.now()
  await site.publish('Headline 0')
  const durationMs = performance.now() - startedAt
  const kills = 6
  let shown = 'Headline 0'
  for (let kill = 1; kill <= kills; kill++) {
    const headline = `Headline ${kill}`
    const number = await site.saveHeadline(headline)
    const publishing = site.call('POST', '/api/page/publish', { number }).catch(() => {})
    await pause((durationMs * kill) / kills)
    await site.server.kill('SIGKILL')
    await publishing
    site = await startPageServer(location)
    const found = await site.readHeadline()
    expect([shown, headline]).toContain(found)
    shown = found ?? ''
    expect((await site.call('GET', '/api/page')).draft.hero.headline).toBe(headline)
  }
  await site.publish('The last headline')
  expect(await site.readHeadline()).toBe('The last headline')
})

it('shows the old page after a kill before the version is stored, and the new one after', async () => {
  const location = await createLocation('postgres')
  const db = await openLocation(location)
  const locker = new pg.Client({ connectionString: location.databaseUrl })
  await locker.connect()
  onTestFinished(() => locker.end())
  const isWaiting = async () =>
    (await sql`select from pg_locks where not granted`.execute(db.kysely)).rows.length > 0
  /** Publishes, and kills the server while it waits for the lock. */
  const killWhileWaiting = async (
    { saveHeadline, call, server }: Awaited<ReturnType<typeof startPageServer>>,
    headline: string,
    lock: string,
  ) => {
    const number = await saveHeadline(headline)
    await locker.query(`begin; ${lock}`)
    const publishing = call('POST', '/api/page/publish', { number }).catch(() => {})
    await waitUntil(isWaiting)
    await server.kill('SIGKILL')
    await publishing
    await locker.query('rollback')
    return number
  }

  const first = await startPageServer(location)
  await first.publish('Headline one')
  // The page is rendered, but its version is not written yet.
  await killWhileWaiting(first, 'Headline two', 'lock table page_versions in share mode')
  const second = await startPageServer(location)
  expect(await second.readHeadline()).toBe('Headline one')

  // PostgreSQL commits the version, but the server is killed before it gets the response.
  await locker.query(`
    create function wait_for_lock() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
    create constraint trigger wait_at_commit after insert on page_versions
      deferrable initially deferred for each row execute function wait_for_lock()`)
  const lock = 'select pg_advisory_xact_lock(1)'
  const number = await killWhileWaiting(second, 'Headline three', lock)
  await waitUntil(async () => (await readPublishedNumber(db)) === number)
  const third = await startPageServer(location)
  expect(await third.readHeadline()).toBe('Headline three')
})
