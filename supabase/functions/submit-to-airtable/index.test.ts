import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startFakeAirtable } from '../../../fakes/airtable.ts'
import { startFakeMail } from '../../../fakes/mail.ts'
import { makeAnswerToken } from '../../../leads/answer-link.ts'
import { minuteMs } from '../../../leads/time-units.ts'
import { openDatabase } from '../../../server/database.ts'
import { testLead } from '../../../testing/app.ts'
import { createLocation } from '../../../testing/database.ts'
import { startProcess, waitUntil } from '../../../testing/processes.ts'
import { listLeads, listPendingRecipients, storeLead } from '../../../testing/saved-leads.ts'

const root = join(import.meta.dirname, '../../..')
const deno = join(root, 'node_modules/.bin/deno')
const entry = 'supabase/functions/submit-to-airtable/index.ts'
const legacyKey = 'eyJ.legacy.key'
const publishableKey = 'sb_publishable_1'
const secret = 'a secret for this test'

/** Each test uses a different name, because an earlier test's deliveries may still be running. */
const makeLead = (name: string) => ({ ...testLead, name, serviceType: 'emergency' as const })

// Deno itself lacks this global of Supabase's runtime.
const edgeRuntime = `data:application/javascript,${encodeURIComponent(`
  globalThis.EdgeRuntime = {
    waitUntil: (work) => work.then(() => console.error('background work finished')),
  }
`)}`

// Use the installed packages, without network access.
const offline = ['--node-modules-dir=manual', '--cached-only', '--preload', edgeRuntime]

/** Starts the function with a database, a fake Airtable, and a fake mail server. */
async function startEdge() {
  const { databaseUrl = '', dataDir } = await createLocation('postgres')
  const db = await openDatabase({ databaseUrl, dataDir })
  const airtable = await startFakeAirtable()
  const mail = await startFakeMail({ secure: true, user: 'crew', password: 'secret' })
  const child = startProcess(deno, ['run', '--allow-all', ...offline, entry], {
    DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0',
    SUPABASE_DB_URL: databaseUrl,
    NO_COLOR: '1',
    SUPABASE_ANON_KEY: legacyKey,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: publishableKey }),
    ...airtable.env,
    ...mail.env,
    // The fake's certificate is self-signed.
    SMTP_URL: `${mail.url}?tls.rejectUnauthorized=false`,
    PUBLIC_URL: 'https://project.supabase.co',
    LINK_SECRET: secret,
  })
  const close = async () => {
    await child.kill('SIGKILL')
    await Promise.all([db.close(), airtable.close(), mail.close()])
  }
  const findPort = () =>
    Object.values(child.output)
      .join()
      .match(/127\.0\.0\.1:(\d+)\//)?.[1]
  await waitUntil(() => findPort() !== undefined, 60_000)
  const path = `http://127.0.0.1:${findPort()}/submit-to-airtable`
  const post = async (below = '', body?: object, more: Record<string, string> = {}) => {
    const headers = { apikey: legacyKey, 'content-type': 'application/json', ...more }
    const init = { method: 'POST', headers, body: body ? JSON.stringify(body) : null }
    return (await fetch(path + below, init)).status
  }
  return { db, airtable, mail, child, path, post, close }
}

describe('the function on Deno', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  beforeAll(async () => {
    edge = await startEdge()
    return edge.close
  })

  const findRow = (name: string) =>
    edge.airtable.records.find(({ fields }) => fields.Name === name)?.fields
  const findLead = async (name: string) =>
    (await listLeads(edge.db, { limit: 10 })).find((lead) => lead.name === name)

  afterEach(() => {
    for (const text of Object.values(edge.child.output))
      expect(text).not.toMatch(/zoe|Zoë|Main St|crew@/)
  })

  it('delivers a lead from supabase-js to Airtable, with a legacy or publishable key', async () => {
    const { db, path, child } = edge
    const lead = makeLead('Zoë 🏠')
    const invoke = async (key: string, body: object = lead) => {
      const { functions } = createClient(new URL(path).origin, key)
      return functions.invoke('submit-to-airtable', { body })
    }
    const { error, response } = await invoke(legacyKey)
    expect(error).toBeNull()
    expect(response?.headers.get('x-call-by')).toMatch(/^\d{4}-.*Z$/)
    await waitUntil(() => findRow(lead.name) !== undefined)
    expect(findRow(lead.name)).toMatchObject({ Service: 'Emergency Service' })
    await waitUntil(async () => (await listPendingRecipients(db)).length === 0)
    await waitUntil(() => child.output.stderr.includes('background work finished'))
    expect((await invoke(legacyKey, { ...lead, phone: '' })).error.context.status).toBe(422)
    expect((await invoke('wrong')).error.context.status).toBe(401)
    expect((await invoke(publishableKey)).error).toBeNull()
  })

  it('sends due deliveries when cron calls the function under Supabase’s path', async () => {
    const name = 'Zoë by cron'
    await waitUntil(async () => (await listPendingRecipients(edge.db)).length === 0)
    await storeLead(edge.db, { at: Date.now(), recipients: ['airtable'], lead: { name } })
    expect(await edge.post('/deliver')).toBe(202)
    await waitUntil(() => findRow(name) !== undefined)
    expect((await fetch(`${edge.path}/healthz`)).status).toBe(200)
  })

  it('sends alerts by email over TLS, and reminders when cron calls the function', async () => {
    const { db, post } = edge
    const listMails = () => edge.mail.mails.filter(({ subject }) => subject.includes('Zoë emails'))
    const another = { phone: '(612) 234-7899', email: 'zoe.emails@example.com' }
    expect(await post('', { ...makeLead('Zoë emails'), ...another })).toBe(200)
    await waitUntil(() => listMails().length === 1)
    const [first] = listMails()
    // Just before midnight, the deadline includes the date.
    const deadline = /by (\w{3} \d+, )?\d+:\d\d [AP]M C[SD]T$/
    expect(first?.subject).toMatch(deadline)
    expect(first?.subject).toMatch(/^EMERGENCY: call Zoë emails by /)
    // Supabase's domain cannot serve HTML, so the crew sets Status in Airtable.
    expect(first?.text).not.toContain('/answer/')
    expect(first?.text).toContain('set the row’s Status in Airtable')

    await db.kysely
      .updateTable('leads')
      .set({
        receivedAt: Date.now() - 4 * minuteMs,
        promiseStartAt: Date.now() - 4 * minuteMs,
        deadlineAt: Date.now() + 6 * minuteMs,
      })
      .where('deadlineAt', 'is not', null)
      .execute()
    await db.kysely
      .updateTable('deliveries')
      .set({ dueAt: Date.now(), nextAttemptAt: Date.now() })
      .where('isMessage', '=', 0)
      .execute()
    expect(await post('/deliver')).toBe(202)
    await waitUntil(() => listMails().length === 2)
    expect(listMails()[1]?.subject).toBe(
      'EMERGENCY: nobody has called Zoë emails yet (6 minutes left)',
    )
  })

  it('applies the rate limit to the address from the gateway, not to a forged one', async () => {
    const [attacker, victim] = ['203.0.113.7', '198.51.100.1']
    const send = (hops: string) =>
      edge.post('', makeLead('Zoë'), { 'x-forwarded-for': hops, 'cf-connecting-ip': '192.0.2.5' })
    for (let at = 0; at < 10; at++) expect(await send(`${victim}, ${attacker}`)).toBe(200)
    expect(await send(`192.0.2.99, ${attacker}`)).toBe(429)
    expect(await send(victim)).toBe(200)
  })

  it('shows the page behind the link and records the call', async () => {
    expect(await edge.post('', makeLead('Zoë waits'))).toBe(200)
    const stored = await findLead('Zoë waits')
    const url = `${edge.path}/answer/${makeAnswerToken(stored?.id ?? '', secret, Date.now())}`
    expect(await (await fetch(url)).text()).toContain('I’m calling now')
    expect(await (await fetch(url, { method: 'POST' })).text()).toContain('You’re calling')
    expect((await findLead('Zoë waits'))?.calledVia).toBe('link')
  })
})

it('does not start without a column, and explains what to do', async () => {
  const { databaseUrl = '', dataDir } = await createLocation('postgres')
  const db = await openDatabase({ databaseUrl, dataDir })
  await db.kysely.schema.alterTable('leads').dropColumn('source').execute()
  await db.close()
  await using child = startProcess(deno, ['run', '--allow-all', ...offline, entry], {
    DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0',
    SUPABASE_DB_URL: databaseUrl,
    NO_COLOR: '1',
  })
  expect(await child.exited).toBe(1)
  expect(child.output.stderr).toContain('column "source" does not exist. On Supabase, run npx')
})

it('uses the same package versions on Deno as on Node', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const { imports } = read('supabase/functions/submit-to-airtable/deno.json')
  const { dependencies } = read('package.json')
  for (const [name, specifier] of Object.entries(imports))
    expect(specifier).toBe(`npm:${name}@${dependencies[name]}`)
})
