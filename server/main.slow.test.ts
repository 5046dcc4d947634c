import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FakeAirtable, startFakeAirtable } from '#fakes/airtable.ts'
import { listLeads } from '#leads/store/reading.ts'
import type { Engine } from '#leads/store/tables.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createLocation, engines } from '#testing/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { listPendingChannels } from '#testing/saved-leads.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import { openDatabase } from './database.ts'

const lead = (at: number) => ({ ...testLead, name: `Zoë ${at}` })

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

async function startFake(): Promise<FakeAirtable> {
  const fake = await startFakeAirtable()
  onTestFinished(() => fake.close())
  return fake
}

async function locate(engine: Engine) {
  const { dataDir, databaseUrl } = await createLocation(engine)
  return { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0' }
}

async function openBeside({
  DATA_DIR,
  DATABASE_URL,
}: {
  DATA_DIR: string
  DATABASE_URL: string | undefined
}) {
  const db = await openDatabase({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  onTestFinished(() => db.close())
  return db
}

const countRows = ({ records }: FakeAirtable) => {
  const ids = records.map(({ fields }) => fields['Lead ID'])
  return { rows: ids.length, leads: new Set(ids).size }
}

describe.each(engines)('the server on %s', (engine) => {
  it('creates 96 rows for 96 leads sent to two processes at once, within Airtable’s limits', async () => {
    const fake = await startFake()
    const env = { ...(await locate(engine)), ...fake.env }
    // Both processes migrate the same empty database at once.
    const servers = [spawnServer(env), spawnServer(env)]
    const urls = await Promise.all(servers.map((server) => server.findUrl()))
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, at) => postLead(urls[at % 2] ?? '', lead(at))),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    await waitUntil(() => fake.records.length >= 96)
    const db = await openBeside(env)
    await waitUntil(async () =>
      (await listLeads(db, { limit: 200 })).every(({ deliveries }) => deliveries[0]?.settledAt),
    )
    expect(countRows(fake)).toEqual({ rows: 96, leads: 96 })
    expect(fake.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(fake.busiestWindow()).toBeLessThanOrEqual(5)
    expect(Math.max(...fake.requests.map(({ records }) => records))).toBeLessThanOrEqual(10)
  })

  it('creates one row per lead even if the process is killed while sending', async () => {
    const fake = await startFake()
    const env = { ...(await locate(engine)), ...fake.env }
    // Airtable stores the batch and never answers.
    fake.nextFaults.push({ kind: 'hang' })
    const killed = spawnServer(env)
    const url = await killed.findUrl()
    for (let at = 0; at < 5; at++) expect((await postLead(url, lead(at))).status).toBe(200)
    await waitUntil(() => fake.records.length > 0)
    await killed.kill('SIGKILL')

    const db = await openBeside(env)
    const next = spawnServer(env)
    await next.findUrl()
    // Expire the lease by changing the rows instead of the clock.
    await db.kysely.updateTable('deliveries').set({ leased_until: 1 }).execute()
    await db.kysely.updateTable('channels').set({ leased_until: 1 }).execute()
    await waitUntil(async () =>
      (await listLeads(db, { limit: 10 })).every(({ deliveries }) => deliveries[0]?.settledAt),
    )
    expect(countRows(fake)).toEqual({ rows: 5, leads: 5 })
  })
})

describe('the server', () => {
  it('recovers from a PostgreSQL outage and delivers every acknowledged lead', async () => {
    const postgres = await startPostgres()
    onTestFinished(postgres.remove)
    const fake = await startFake()
    const server = spawnServer({ DATABASE_URL: postgres.url, ...fake.env })
    const url = await server.findUrl()
    expect((await postLead(url, lead(1))).status).toBe(200)
    await postgres.stop()
    for (let at = 0; at < 5; at++) {
      const refused = await postLead(url, lead(2))
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('5')
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(503)
    await postgres.start()
    expect((await postLead(url, lead(2))).status).toBe(200)
    await waitUntil(() => fake.records.length === 2)
    const db = await openBeside({ DATA_DIR: '', DATABASE_URL: postgres.url })
    await waitUntil(async () => (await listPendingChannels(db)).length === 0)
    expect(countRows(fake)).toEqual({ rows: 2, leads: 2 })
    expect(server.output.stderr.match(/cannot store leads/g)).toHaveLength(1)
    expect(server.output.stderr.match(/leads can be stored again/g)).toHaveLength(1)
  })

  it.skipIf(!canMount)(
    'answers 503 on a full disk and accepts leads again once there is space',
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'full-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir])
      onTestFinished(() => {
        execFileSync('umount', ['-l', dir])
        rmSync(dir, { recursive: true })
      })
      const server = spawnServer({ DATA_DIR: join(dir, 'data'), RATE_LIMIT_PER_MINUTE: '0' })
      const url = await server.findUrl()
      expect((await postLead(url, lead(1))).status).toBe(200)
      const { bavail, bsize } = statfsSync(dir)
      writeFileSync(join(dir, 'filler'), Buffer.alloc(bavail * bsize))
      let status = 200
      let taken = 1
      for (let at = 0; status === 200 && at < 200; at++) {
        status = (await postLead(url, lead(at))).status
        if (status === 200) taken += 1
      }
      expect(status).toBe(503)
      expect((await fetch(`${url}/healthz`)).status).toBe(503)
      expect(server.output.stderr).toContain('disk is full')
      rmSync(join(dir, 'filler'))
      expect((await postLead(url, lead(3))).status).toBe(200)
      await server.kill('SIGTERM')
      const db = await openDatabase({ dataDir: join(dir, 'data') })
      expect(await listLeads(db, { limit: 1000 })).toHaveLength(taken + 1)
      await db.close()
    },
  )
})
