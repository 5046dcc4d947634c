import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultSaveTimeoutMs } from '#leads/http/accept-lead.ts'
import { createTestApp } from '#testing/app.ts'
import { createLocation, openLocation } from '#testing/database.ts'

describe('PostgreSQL', () => {
  it('answers every visitor within 8 s while the tables are locked', async () => {
    const location = await createLocation('postgres')
    const db = await openLocation(location)
    const { post, log } = createTestApp(db, { saveTimeoutMs: defaultSaveTimeoutMs })
    const other = new pg.Client({ connectionString: location.databaseUrl })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin; lock table leads in access exclusive mode')
    // Count only the time during which this process had the CPU.
    let passedMs = 0
    const clock = setInterval(() => {
      passedMs += 100
    }, 100)
    onTestFinished(() => clearInterval(clock))
    const visit = async (network: number) => {
      const answer = await post({ 'test-client': `203.0.${network}.1` })
      return { ...answer, toldAtMs: passedMs }
    }
    // More visits than connections, and several per network.
    const visits = Array.from({ length: 24 }, (_, at) => visit(at % 12))
    for (const { status, retryAfter, toldAtMs } of await Promise.all(visits)) {
      expect([status, retryAfter]).toEqual([503, 5])
      expect(toldAtMs).toBeLessThan(8_000)
    }
    expect(JSON.stringify(log.entries)).toContain('cannot store leads')
    await other.query('rollback')
    expect((await post()).status).toBe(200)
  })

  it('stores a lead even if the process is blocked while connecting', async () => {
    const db = await openLocation(await createLocation('postgres'))
    const { post } = createTestApp(db, { saveTimeoutMs: defaultSaveTimeoutMs })
    const answer = post()
    // Block timers and sockets, as on an overloaded machine.
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000), 1)
    expect((await answer).status).toBe(200)
  })
})
