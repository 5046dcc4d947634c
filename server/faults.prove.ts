import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultSaveMs } from '../supabase/functions/submit-to-airtable/app.ts'
import { createTestApp } from '../testing/app.ts'
import { createLocation, engines } from '../testing/database.ts'
import { openDatabase } from './database.ts'

describe.skipIf(!engines.includes('postgres'))('PostgreSQL', () => {
  it('whose tables are locked: every visitor is told within 8 s', async () => {
    const location = await createLocation('postgres')
    const db = await openDatabase(location)
    onTestFinished(() => db.close())
    const { post, log } = createTestApp(db, { longestSaveMs: defaultSaveMs })
    const other = new pg.Client({ connectionString: location.databaseUrl })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin; lock table leads in access exclusive mode')
    const visit = async (network: number) => {
      const cameAt = performance.now()
      const answer = await post({ 'test-client': `203.0.${network}.1` })
      return { ...answer, tookMs: performance.now() - cameAt }
    }
    // More at once than there are connections, and more than one of a network.
    const visits = Array.from({ length: 24 }, (_, at) => visit(at % 12))
    for (const { status, retryAfter, tookMs } of await Promise.all(visits)) {
      expect([status, retryAfter]).toEqual([503, 5])
      expect(tookMs).toBeLessThan(8_000)
    }
    expect(JSON.stringify(log.entries)).toContain('no lead can be stored')
    await other.query('rollback')
    expect((await post()).status).toBe(200)
  })

  it('stores a lead though this process stood still while it connected', async () => {
    const db = await openDatabase(await createLocation('postgres'))
    onTestFinished(() => db.close())
    const { post } = createTestApp(db, { longestSaveMs: defaultSaveMs })
    const answer = post()
    // As on a machine with too much to do: neither timers nor sockets are looked at for so long.
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000), 1)
    expect((await answer).status).toBe(200)
  })
})
