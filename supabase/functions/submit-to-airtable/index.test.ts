import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../server/database.ts'
import { startAirtableStandIn } from '../../../testing/airtable-stand-in.ts'
import { createLocation, engines } from '../../../testing/database.ts'
import { startMailStandIn } from '../../../testing/mail-stand-in.ts'
import { spawnProcess, waitUntil } from '../../../testing/server-process.ts'
import { makeAnswerToken } from './answer-link.ts'
import { listLeads } from './store.ts'

const root = join(import.meta.dirname, '../../..')
const deno = join(root, 'node_modules/.bin/deno')
// From the packages that are installed; nothing is fetched.
const offline = ['--node-modules-dir=manual', '--cached-only']
const entry = 'supabase/functions/submit-to-airtable/index.ts'

const lead = {
  name: 'Zoë 🏠',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'emergency',
}

// What Supabase's runtime has and Deno has not.
const edgeRuntime = `data:application/javascript,${encodeURIComponent(`
  globalThis.EdgeRuntime = {
    waitUntil: (work) => work.then(() => console.error('work waited for has ended')),
  }
`)}`

async function startEdge(env: Record<string, string>) {
  const { databaseUrl = '', dataDir } = await createLocation('postgres')
  const db = await openDatabase({ databaseUrl, dataDir })
  onTestFinished(() => db.close())
  const child = spawnProcess(
    deno,
    ['run', '--allow-all', ...offline, '--preload', edgeRuntime, entry],
    {
      DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0',
      SUPABASE_DB_URL: databaseUrl,
      NO_COLOR: '1',
      ...env,
    },
  )
  const findPort = () =>
    Object.values(child.output)
      .join()
      .match(/127\.0\.0\.1:(\d+)\//)?.[1]
  await waitUntil(() => findPort() !== undefined)
  return { db, child, url: `http://127.0.0.1:${findPort()}` }
}

describe.skipIf(!engines.includes('postgres'))(
  'the function on Deno, as on Supabase',
  { timeout: 60_000 },
  () => {
    it.each([
      ['legacy', { SUPABASE_ANON_KEY: 'eyJ.legacy.key' }, 'eyJ.legacy.key'],
      [
        'publishable',
        { SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_1"}' },
        'sb_publishable_1',
      ],
    ])('takes a lead from supabase-js with a %s key to a row in Airtable', async (_, keys, key) => {
      const standIn = await startAirtableStandIn()
      onTestFinished(() => standIn.close())
      const { db, url, child } = await startEdge({
        ...keys,
        AIRTABLE_API_URL: standIn.url,
        AIRTABLE_TOKEN: standIn.token,
        AIRTABLE_BASE_ID: standIn.baseId,
      } as Record<string, string>)
      const client = createClient(url, key)
      const sent = await client.functions.invoke('submit-to-airtable', { body: lead })
      expect(sent.error).toBeNull()
      await waitUntil(() => standIn.records.length === 1)
      expect(standIn.records[0]?.fields).toMatchObject({
        Name: 'Zoë 🏠',
        Service: 'Emergency Service',
      })
      await waitUntil(async () => {
        const [stored] = await listLeads(db, { limit: 1 })
        return stored?.deliveries[0]?.state === 'sent'
      })

      await waitUntil(() => child.output.stderr.includes('work waited for has ended'))

      const refused = await client.functions.invoke('submit-to-airtable', {
        body: { ...lead, phone: '' },
      })
      expect(refused.error?.context.status).toBe(422)
      const wrong = await createClient(url, 'wrong').functions.invoke('submit-to-airtable', {
        body: lead,
      })
      expect(wrong.error?.context.status).toBe(401)
      for (const text of Object.values(child.output)) expect(text).not.toMatch(/zoe|Zoë|Main St/)
    })

    it('delivers what waits when cron wakes it, at the path Supabase shows it', async () => {
      const standIn = await startAirtableStandIn()
      onTestFinished(() => standIn.close())
      standIn.nextFaults.push({ kind: 'html', status: 502 })
      const { db, url } = await startEdge({
        AIRTABLE_API_URL: standIn.url,
        AIRTABLE_TOKEN: standIn.token,
        AIRTABLE_BASE_ID: standIn.baseId,
      })
      const headers = { apikey: 'public-anon-key', 'content-type': 'application/json' }
      const path = `${url}/submit-to-airtable`
      const body = JSON.stringify(lead)
      expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(200)
      await waitUntil(async () => {
        const [stored] = await listLeads(db, { limit: 1 })
        return stored?.deliveries[0]?.lastError !== null
      })
      await db.kysely.updateTable('deliveries').set({ next_attempt_at: 0 }).execute()
      expect((await fetch(`${path}/deliver`, { method: 'POST', headers })).status).toBe(202)
      await waitUntil(() => standIn.records.length === 1)
      const health = await fetch(`${path}/healthz`)
      expect(health.status).toBe(200)
    })

    it('rings by e-mail over TLS, and reminds when cron wakes it', async () => {
      const mail = await startMailStandIn({ secure: true, user: 'staff', password: 'secret' })
      onTestFinished(() => mail.close())
      const { db, url, child } = await startEdge({
        // The stand-in's certificate is its own.
        SMTP_URL: `${mail.url}?tls.rejectUnauthorized=false`,
        ALERT_EMAIL_FROM: 'alerts@example.com',
        ALERT_EMAIL_TO: 'staff@example.com',
        PUBLIC_URL: 'https://project.supabase.co',
        TIME_ZONE: 'America/Chicago',
      })
      const headers = { apikey: 'public-anon-key', 'content-type': 'application/json' }
      const path = `${url}/submit-to-airtable`
      const body = JSON.stringify(lead)
      expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(200)
      await waitUntil(() => mail.mails.length === 1)
      expect(mail.mails[0]?.subject).toMatch(/^EMERGENCY: call Zoë 🏠 by \d+:\d\d [AP]M C[SD]T$/)
      // A plain Supabase domain cannot show the page: staff answer in Airtable.
      expect(mail.mails[0]?.text).not.toContain('/answer/')
      expect(mail.mails[0]?.text).toContain('set the row’s Status in Airtable')

      const agoMs = 4 * 60_000
      await db.kysely
        .updateTable('leads')
        .set((eb) => ({
          received_at: eb('received_at', '-', agoMs),
          escalate_at: eb('escalate_at', '-', agoMs),
        }))
        .execute()
      expect((await fetch(`${path}/deliver`, { method: 'POST', headers })).status).toBe(202)
      await waitUntil(() => mail.mails.length === 2)
      expect(mail.mails[1]?.subject).toBe('EMERGENCY: nobody has called Zoë 🏠 yet: 6 minutes left')
      for (const text of Object.values(child.output)) expect(text).not.toMatch(/zoe|Zoë|staff@/)
    })

    it('shows the answer page and takes the answer', async () => {
      const secret = 'a secret for this test'
      const { db, url } = await startEdge({ LINK_SECRET: secret })
      const headers = { apikey: 'public-anon-key', 'content-type': 'application/json' }
      const path = `${url}/submit-to-airtable`
      await fetch(path, { method: 'POST', headers, body: JSON.stringify(lead) })
      const [stored] = await listLeads(db, { limit: 1 })
      const token = makeAnswerToken(stored?.id ?? '', secret, Date.now())
      const page = await fetch(`${path}/answer/${token}`)
      expect(page.status).toBe(200)
      expect(await page.text()).toContain('I am calling now')
      const answered = await fetch(`${path}/answer/${token}`, { method: 'POST' })
      expect(await answered.text()).toContain('You are calling')
      expect((await listLeads(db, { limit: 1 }))[0]?.answeredBy).toBe('link')
    })

    it('passes Deno’s own type check', () => {
      execFileSync(deno, ['check', ...offline.slice(0, 1), entry], { cwd: root, stdio: 'pipe' })
    })
  },
)

it('names the same package versions for Deno as package.json does for Node', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const { imports } = read('supabase/functions/submit-to-airtable/deno.json')
  const { dependencies } = read('package.json')
  for (const [name, specifier] of Object.entries(imports))
    expect(specifier).toBe(`npm:${name}@${dependencies[name]}`)
})
