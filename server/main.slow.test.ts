import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createLocation, engines, openLocation } from '#testing/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { countLeads, listPendingRecipients } from '#testing/saved-leads.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import { type DatabaseLocation, openDatabase } from './database.ts'

const lead = (at: number) => ({ ...testLead, name: `Zoë ${at}` })

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

async function startFake() {
  const { fake } = await startAirtable({ now: Date.now })
  const listIds = () => fake.records.map(({ fields }) => fields['Lead ID'])
  return { fake, listIds }
}

async function waitUntilDelivered(location: DatabaseLocation) {
  const db = await openLocation(location)
  await waitUntil(async () => (await listPendingRecipients(db)).length === 0)
}

it.each(engines)(
  'creates 96 rows for 96 leads sent to two processes at once, within Airtable’s limits, on %s',
  async (engine) => {
    const { fake, listIds } = await startFake()
    const location = await createLocation(engine)
    const { dataDir: DATA_DIR, databaseUrl: DATABASE_URL } = location
    const env = { DATA_DIR, DATABASE_URL, RATE_LIMIT_PER_MINUTE: '0', ...fake.env }
    // Both processes migrate the same empty database at the same time.
    const servers = [spawnServer(env), spawnServer(env)]
    const urls = await Promise.all(servers.map((server) => server.findUrl()))
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, at) => postLead(urls[at % 2] ?? '', lead(at))),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    await waitUntilDelivered(location)
    expect(listIds()).toHaveLength(96)
    expect(new Set(listIds()).size).toBe(96)
    // The fake rejects requests that exceed a limit.
    expect(fake.requests.filter(({ status }) => status !== 200)).toEqual([])
  },
)

it('recovers from a PostgreSQL outage and delivers every acknowledged lead', async () => {
  const postgres = await startPostgres()
  onTestFinished(postgres.remove)
  const { fake, listIds } = await startFake()
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
  await waitUntilDelivered({ dataDir: '', databaseUrl: postgres.url })
  expect(listIds()).toHaveLength(2)
  expect(new Set(listIds()).size).toBe(2)
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
    const dataDir = join(dir, 'data')
    const server = spawnServer({ DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: '0' })
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
    const db = await openDatabase({ dataDir })
    expect(await countLeads(db)).toBe(taken + 1)
    await db.close()
  },
)
