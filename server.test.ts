import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './server/database.ts'
import * as content from './site/content.ts'
import { findSamples } from './site/samples.ts'
import {
  type Engine,
  listLeads,
  retryDeliveries,
} from './supabase/functions/submit-to-airtable/store.ts'
import { type AirtableStandIn, startAirtableStandIn } from './testing/airtable-stand-in.ts'
import { createLocation, engines } from './testing/database.ts'
import { startMailStandIn } from './testing/mail-stand-in.ts'
import { startPostgres } from './testing/postgres.ts'
import { spawnServer, waitUntil } from './testing/server-process.ts'
import { startTwilioStandIn } from './testing/twilio-stand-in.ts'

const lead = (at: number) => ({
  name: `Zoë ${at}`,
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'roof-repair',
})

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/functions/v1/submit-to-airtable`, {
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const isRoot = process.getuid?.() === 0

async function startStandIn(): Promise<AirtableStandIn> {
  const standIn = await startAirtableStandIn()
  onTestFinished(() => standIn.close())
  return standIn
}

async function locate(engine: Engine) {
  const { dataDir, databaseUrl } = await createLocation(engine)
  return { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0' }
}

const airtable = ({ url, token, baseId, tableName }: AirtableStandIn) => ({
  AIRTABLE_API_URL: url,
  AIRTABLE_TOKEN: token,
  AIRTABLE_BASE_ID: baseId,
  AIRTABLE_TABLE: tableName,
})

async function openBeside({ DATA_DIR, DATABASE_URL }: Awaited<ReturnType<typeof locate>>) {
  const db = await openDatabase({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  onTestFinished(() => db.close())
  return db
}

const countRows = ({ records }: AirtableStandIn) => {
  const ids = records.map(({ fields }) => fields['Lead ID'])
  return { rows: ids.length, leads: new Set(ids).size }
}

describe.each(engines)('the server on %s', { timeout: 60_000 }, (engine) => {
  it('serves the site and takes a lead from supabase-js to a row within a second', async () => {
    const standIn = await startStandIn()
    const server = spawnServer({ ...(await locate(engine)), ...airtable(standIn) })
    const url = await server.findUrl()
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(`${url}/nowhere`)).status).toBe(404)
    const client = createClient(url, 'public-anon-key')
    const sentAt = Date.now()
    const { error } = await client.functions.invoke('submit-to-airtable', { body: lead(1) })
    expect(error).toBeNull()
    await waitUntil(() => standIn.records.length === 1)
    expect((standIn.requests[0]?.at ?? 0) - sentAt).toBeLessThan(1_000)
    expect(standIn.records[0]?.fields).toMatchObject({ Name: 'Zoë 1', Service: 'Roof Repair' })
    await waitUntil(async () => {
      const { deliveries } = (await (await fetch(`${url}/healthz`)).json()) as {
        deliveries: { waiting: number }
      }
      return deliveries.waiting === 0
    })
    expect(await server.kill('SIGTERM')).toBe(0)
    for (const text of Object.values(server.output))
      expect(text).not.toMatch(/zoe|Zoë|123-4567|Main St|127\.0\.0\.1/)
  })

  it('makes 120 rows of 120 leads that come at once to two processes, within the limits', async () => {
    const standIn = await startStandIn()
    const env = { ...(await locate(engine)), ...airtable(standIn) }
    // Both migrate the same empty database at the same moment.
    const servers = [spawnServer(env), spawnServer(env)]
    const urls = await Promise.all(servers.map((server) => server.findUrl()))
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, at) => post(urls[at % 2] ?? '', lead(at))),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    await waitUntil(() => standIn.records.length >= 120, 30_000)
    const db = await openBeside(env)
    await waitUntil(async () =>
      (await listLeads(db, { limit: 200 })).every(({ deliveries }) => deliveries[0]?.settledAt),
    )
    expect(countRows(standIn)).toEqual({ rows: 120, leads: 120 })
    expect(standIn.requests.filter(({ status }) => status === 429)).toEqual([])
    expect(standIn.busiestWindow()).toBeLessThanOrEqual(5)
    expect(Math.max(...standIn.requests.map(({ records }) => records))).toBeLessThanOrEqual(10)
  })

  it('makes one row of each lead although it was killed while it sent them', async () => {
    const standIn = await startStandIn()
    const env = { ...(await locate(engine)), ...airtable(standIn) }
    // Airtable stores the batch and never answers.
    standIn.nextFaults.push({ kind: 'hang' })
    const killed = spawnServer(env)
    const url = await killed.findUrl()
    for (let at = 0; at < 5; at++) expect((await post(url, lead(at))).status).toBe(200)
    await waitUntil(() => standIn.records.length > 0)
    await killed.kill('SIGKILL')

    const db = await openBeside(env)
    const leases = await db.kysely
      .selectFrom('deliveries')
      .select(['leased_until', 'lease_holder'])
      .where('leased_until', '>', 0)
      .execute()
    expect(leases.length).toBeGreaterThan(0)
    for (const { leased_until } of leases) expect(leased_until - Date.now()).toBeLessThan(55_000)
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

  it('makes one row although the answer was lost after the row was stored', async () => {
    const standIn = await startStandIn()
    standIn.nextFaults.push({ kind: 'lose-answer' }, { kind: 'cut-answer' })
    const env = { ...(await locate(engine)), ...airtable(standIn) }
    const server = spawnServer(env)
    const url = await server.findUrl()
    const db = await openBeside(env)
    await post(url, lead(1))
    for (const attempts of [1, 2]) {
      await waitUntil(async () => {
        const delivery = (await listLeads(db, { limit: 1 }))[0]?.deliveries[0]
        return delivery?.attempts === attempts && delivery.nextAttemptAt > Date.now()
      })
      await retryDeliveries(db, 'all', Date.now())
    }
    await waitUntil(async () =>
      (await listLeads(db, { limit: 1 })).every(({ deliveries }) => deliveries[0]?.settledAt),
    )
    expect(countRows(standIn)).toEqual({ rows: 1, leads: 1 })
    expect(server.output.stderr.match(/airtable takes no leads/g)).toHaveLength(1)
  })

  it('finishes what is in flight when it is told to stop, and exits 0', async () => {
    const standIn = await startStandIn()
    standIn.nextFaults.push({ kind: 'slow', delayMs: 700 })
    const env = { ...(await locate(engine)), ...airtable(standIn) }
    const server = spawnServer(env)
    await post(await server.findUrl(), lead(1))
    await waitUntil(async () => {
      const db = await openDatabase({ dataDir: env.DATA_DIR, databaseUrl: env.DATABASE_URL })
      const [stored] = await listLeads(db, { limit: 1 }).finally(() => db.close())
      return stored?.deliveries[0]?.attempts === 1
    })
    const stoppedAt = Date.now()
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(Date.now() - stoppedAt).toBeLessThan(10_000)
    const [stored] = await listLeads(await openBeside(env), { limit: 1 })
    expect(stored?.deliveries[0]?.state).toBe('sent')
    expect(countRows(standIn)).toEqual({ rows: 1, leads: 1 })
  })

  it('lets leads wait while Airtable is not set up, says so, and sends them once it is', async () => {
    const location = await locate(engine)
    const unset = spawnServer(location)
    const url = await unset.findUrl()
    expect((await post(url, lead(1))).status).toBe(200)
    expect(unset.output.stdout).toContain(
      'Airtable is not set up (AIRTABLE_TOKEN and AIRTABLE_BASE_ID missing)',
    )
    const health = await (await fetch(`${url}/healthz`)).text()
    expect(health).toContain('Airtable is not set up')
    expect(health).toContain('"waiting":1')
    await unset.kill('SIGTERM')
    const standIn = await startStandIn()
    await spawnServer({ ...location, ...airtable(standIn) }).findUrl()
    await waitUntil(() => standIn.records.length === 1)
  })

  it('rings every channel once, reminds once, and stops at the answer, with two processes', async () => {
    const [standIn, mail, twilio] = [
      await startStandIn(),
      await startMailStandIn(),
      await startTwilioStandIn(),
    ]
    onTestFinished(async () => {
      await mail.close()
      await twilio.close()
    })
    const env = {
      ...(await locate(engine)),
      ...airtable(standIn),
      ...twilio.env,
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: 'staff@example.com',
      ESCALATION_EMAIL_TO: 'owner@example.com',
      ALERT_SMS_TO: '+15550002222',
      PUBLIC_URL: 'https://roofing.example',
    }
    const servers = [spawnServer(env), spawnServer(env)]
    const [url = '', other = ''] = await Promise.all(servers.map((server) => server.findUrl()))
    for (let at = 0; at < 10; at++) expect((await post(url, lead(at))).status).toBe(200)
    await waitUntil(() => mail.mails.length === 10 && twilio.messages.length === 10)
    expect(new Set(mail.mails.map(({ subject }) => subject)).size).toBe(10)

    const db = await openBeside(env)
    const moveBack = async (minutes: number) => {
      await db.kysely
        .updateTable('leads')
        .set((eb) => ({
          received_at: eb('received_at', '-', minutes * 60_000),
          escalate_at: eb('escalate_at', '-', minutes * 60_000),
        }))
        .execute()
    }
    const answer = mail.mails[0]?.text.match(/roofing\.example(\/answer\/\S+)/)?.[1]
    expect((await fetch(other + answer)).status).toBe(200)
    expect(await (await fetch(other + answer, { method: 'POST' })).text()).toContain(
      'You are calling',
    )
    await moveBack(4)
    await waitUntil(() => mail.mails.length === 19 && twilio.messages.length === 19)
    await moveBack(6)
    await waitUntil(() => mail.mails.length === 28 && twilio.messages.length === 28)
    const reminders = mail.mails.filter(({ to }) => to[0] === 'owner@example.com')
    expect(new Set(reminders.map(({ headers }) => headers.get('message-id'))).size).toBe(18)
    expect(reminders.filter(({ subject }) => subject.startsWith('Promise missed'))).toHaveLength(9)
    await waitUntil(
      () => standIn.records.filter(({ fields }) => fields.Status === 'Called').length === 1,
    )
    const { warnings } = (await (await fetch(`${url}/healthz`)).json()) as { warnings: string[] }
    expect(warnings).toEqual([])
    for (const { output } of servers)
      for (const text of Object.values(output))
        expect(text).not.toMatch(/zoe|Zoë|123-4567|Main St|staff@|owner@|5550002222/)
  })

  it('refuses an upload without end and lives on', async () => {
    const server = spawnServer(await locate(engine))
    const url = await server.findUrl()
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    })
    const upload = await fetch(`${url}/functions/v1/submit-to-airtable`, {
      method: 'POST',
      headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      // The server may close the connection while the upload still runs.
      () => 413,
    )
    expect(upload).toBe(413)
    expect((await post(url, lead(1))).status).toBe(200)
  })
})

describe('the server', { timeout: 60_000 }, () => {
  it.skipIf(!engines.includes('postgres'))(
    'goes on by itself after Postgres was away, with everything it had acknowledged',
    async () => {
      const postgres = await startPostgres()
      onTestFinished(postgres.remove)
      const standIn = await startStandIn()
      const server = spawnServer({ DATABASE_URL: postgres.url, ...airtable(standIn) })
      const url = await server.findUrl()
      expect((await post(url, lead(1))).status).toBe(200)
      await postgres.stop()
      for (let at = 0; at < 5; at++) {
        const refused = await post(url, lead(2))
        expect(refused.status).toBe(503)
        expect(refused.headers.get('retry-after')).toBe('5')
      }
      expect((await fetch(`${url}/healthz`)).status).toBe(503)
      await postgres.start()
      expect((await post(url, lead(2))).status).toBe(200)
      await waitUntil(() => standIn.records.length === 2)
      await waitUntil(async () =>
        (await (await fetch(`${url}/healthz`)).text()).includes('"waiting":0'),
      )
      expect(countRows(standIn)).toEqual({ rows: 2, leads: 2 })
      expect(server.output.stderr.match(/no lead can be stored/g)).toHaveLength(1)
      expect(server.output.stderr.match(/leads can be stored again/g)).toHaveLength(1)
    },
  )

  it.skipIf(!isRoot || !canMount())(
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
      expect((await post(url, lead(1))).status).toBe(200)
      const { bavail, bsize } = statfsSync(dir)
      writeFileSync(join(dir, 'filler'), Buffer.alloc(bavail * bsize))
      let status = 200
      let taken = 1
      for (let at = 0; status === 200 && at < 200; at++) {
        status = (await post(url, lead(at))).status
        if (status === 200) taken += 1
      }
      expect(status).toBe(503)
      expect((await fetch(`${url}/healthz`)).status).toBe(503)
      expect(server.output.stderr).toContain('disk is full')
      rmSync(join(dir, 'filler'))
      expect((await post(url, lead(3))).status).toBe(200)
      await server.kill('SIGTERM')
      const db = await openDatabase({ dataDir: join(dir, 'data') })
      expect(await listLeads(db, { limit: 1000 })).toHaveLength(taken + 1)
      await db.close()
    },
  )

  it.each([
    ['a port in use', async () => ({ PORT: await occupyPort() }), /^Port \d+ is in use: .+\.$/],
    [
      'a data folder that cannot be one',
      async () => ({ DATA_DIR: '/dev/null/data' }),
      /^The database \S+ \(DATA_DIR\) cannot be opened: .+\.$/,
    ],
    [
      'a data folder where nothing can be made',
      async () => ({ DATA_DIR: '/proc/roofing/data' }),
      /^The database \S+ \(DATA_DIR\) cannot be opened: nothing can be written there \(.+\)\.$/,
    ],
    [
      'a database that is not there',
      async () => ({ DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }),
      /^The database of DATABASE_URL cannot be reached: .+\.$/,
    ],
    [
      'a variable it does not understand',
      async () => ({ TRUSTED_PROXIES: 'two' }),
      /^Please mend these environment variables:\n {2}TRUSTED_PROXIES must be .+$/,
    ],
  ])('does not start on %s: one plain sentence and exit 1', async (_, makeEnv, sentence) => {
    const { dataDir } = await createLocation('sqlite')
    const server = spawnServer({ DATA_DIR: dataDir, ...(await makeEnv()) })
    expect(await server.exited).toBe(1)
    expect(server.output.stderr.trim()).toMatch(sentence)
    expect(server.output.stdout).toBe('')
  })

  const hasSamples = findSamples(content).length > 0
  it.skipIf(!hasSamples)('warns once, visibly, when the public would see samples', async () => {
    const { dataDir } = await createLocation('sqlite')
    const server = spawnServer({ DATA_DIR: dataDir, PUBLIC_URL: 'https://www.example.com' })
    const url = await server.findUrl()
    for (let asked = 0; asked < 3; asked += 1) await fetch(url)
    await waitUntil(() => server.output.stderr.includes('listening'))
    await server.kill('SIGTERM')
    const { stdout, stderr } = server.output
    expect(stdout.match(/see sample content/g)).toHaveLength(1)
    expect(stdout).toContain('npm run doctor')
    expect(stderr.match(/shows sample content: npm run doctor/g)).toHaveLength(1)
  })

  it('lets the template be itself on a laptop, and says where to look before going live', async () => {
    const { dataDir } = await createLocation('sqlite')
    const server = spawnServer({ DATA_DIR: dataDir })
    await waitUntil(() => server.output.stderr.includes('listening'))
    await server.kill('SIGTERM')
    const { stdout, stderr } = server.output
    expect(stdout + stderr).not.toContain('sample content')
    expect(stdout).toContain('before going live: npm run doctor')
  })

  it.skipIf(!isRoot)('does not start on a folder it may not write to', async () => {
    const { dataDir } = await createLocation('sqlite')
    chmodSync(dataDir, 0o755)
    mkdirSync(join(dataDir, 'data'), { mode: 0o555 })
    const nobody = { uid: 65_534, gid: 65_534 }
    const server = spawnServer({ DATA_DIR: join(dataDir, 'data') }, nobody)
    expect(await server.exited).toBe(1)
    expect(server.output.stderr.trim()).toMatch(
      /^The database \S+ \(DATA_DIR\) cannot be opened: .+\.$/,
    )
  })
})

function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' })
    execFileSync('umount', [dir])
    return true
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function occupyPort(): Promise<string> {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    other.close()
  })
  const address = other.address()
  return String(typeof address === 'object' && address?.port)
}
