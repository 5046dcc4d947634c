import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AirtableStandIn, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { listLeads } from '#leads/store/reading.ts'
import type { Engine } from '#leads/store/tables.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createLocation, engines } from '#testing/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import { openDatabase } from './database.ts'

const lead = (at: number) => ({ ...testLead, name: `Zoë ${at}` })

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

async function startStandIn(): Promise<AirtableStandIn> {
  const standIn = await startAirtableStandIn()
  onTestFinished(() => standIn.close())
  return standIn
}

async function locate(engine: Engine) {
  const { dataDir, databaseUrl } = await createLocation(engine)
  return { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0' }
}

async function openBeside({ DATA_DIR, DATABASE_URL }: Awaited<ReturnType<typeof locate>>) {
  const db = await openDatabase({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  onTestFinished(() => db.close())
  return db
}

const countRows = ({ records }: AirtableStandIn) => {
  const ids = records.map(({ fields }) => fields['Lead ID'])
  return { rows: ids.length, leads: new Set(ids).size }
}

describe.each(engines)('the server on %s', (engine) => {
  it('makes 96 rows of 96 leads that come at once to two processes, within the limits', async () => {
    const standIn = await startStandIn()
    const env = { ...(await locate(engine)), ...standIn.env }
    // Both migrate the same empty database at the same moment.
    const servers = [spawnServer(env), spawnServer(env)]
    const urls = await Promise.all(servers.map((server) => server.findUrl()))
    // Each within what one client may have open.
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, at) => postLead(urls[at % 2] ?? '', lead(at))),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    await waitUntil(() => standIn.records.length >= 96)
    const db = await openBeside(env)
    await waitUntil(async () =>
      (await listLeads(db, { limit: 200 })).every(({ deliveries }) => deliveries[0]?.settledAt),
    )
    expect(countRows(standIn)).toEqual({ rows: 96, leads: 96 })
    expect(standIn.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(standIn.busiestWindow()).toBeLessThanOrEqual(5)
    expect(Math.max(...standIn.requests.map(({ records }) => records))).toBeLessThanOrEqual(10)
  })

  it('makes one row of each lead although it was killed while it sent them', async () => {
    const standIn = await startStandIn()
    const env = { ...(await locate(engine)), ...standIn.env }
    // Airtable stores the batch and never answers.
    standIn.nextFaults.push({ kind: 'hang' })
    const killed = spawnServer(env)
    const url = await killed.findUrl()
    for (let at = 0; at < 5; at++) expect((await postLead(url, lead(at))).status).toBe(200)
    await waitUntil(() => standIn.records.length > 0)
    await killed.kill('SIGKILL')

    const db = await openBeside(env)
    const next = spawnServer(env)
    await next.findUrl()
    // The lease runs out: instead of the clock, the rows are moved.
    await db.kysely.updateTable('deliveries').set({ leased_until: 1 }).execute()
    await db.kysely.updateTable('channels').set({ leased_until: 1 }).execute()
    await waitUntil(async () =>
      (await listLeads(db, { limit: 10 })).every(({ deliveries }) => deliveries[0]?.settledAt),
    )
    expect(countRows(standIn)).toEqual({ rows: 5, leads: 5 })
  })
})

describe('the server', () => {
  it.skipIf(!engines.includes('postgres'))(
    'goes on by itself after Postgres was away, with everything it had acknowledged',
    async () => {
      const postgres = await startPostgres()
      onTestFinished(postgres.remove)
      const standIn = await startStandIn()
      const server = spawnServer({ DATABASE_URL: postgres.url, ...standIn.env })
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
      await waitUntil(() => standIn.records.length === 2)
      await waitUntil(async () =>
        (await (await fetch(`${url}/healthz`)).text()).includes('"waiting":0'),
      )
      expect(countRows(standIn)).toEqual({ rows: 2, leads: 2 })
      expect(server.output.stderr.match(/no lead can be stored/g)).toHaveLength(1)
      expect(server.output.stderr.match(/leads can be stored again/g)).toHaveLength(1)
    },
  )

  it.skipIf(!canMount)(
    'answers 503 on a full disk and takes leads again when there is room',
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
