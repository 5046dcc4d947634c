import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPageKey } from '#cli/doctor/site-checks.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { type Env, readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { company, hours } from '#site/content.ts'
import { findFreePort } from '#testing/processes.ts'
import { savePhone } from '#testing/saved-leads.ts'
import { startFakeAirtable } from './airtable.ts'
import { startFakeMail } from './mail.ts'
import { pushHost, startFakePush } from './push.ts'
import { addSampleLeads } from './sample-leads.ts'

// Runs the whole product with a temporary database and with fakes for Airtable, email, and push. The only
// setting of the owner that it uses is the key that the page was built with.

const print = (text: string) => process.stdout.write(`${text}\n`)
const log = {
  info: () => {},
  warn: () => {},
  error: (fields: object, message: string) => print(`${message} ${JSON.stringify(fields)}`),
}

const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop())

process.chdir(join(import.meta.dirname, '..'))
const { PORT = 3000, DESK_PORT } = process.env
// The page was built with these variables.
for (const file of ['.env.local', '.env']) if (existsSync(file)) process.loadEnvFile(file)
const dataDir = mkdtempSync(join(tmpdir(), 'roofing-demo-'))
let past: { at: number } | undefined = { at: Date.now() }
const airtable = await startFakeAirtable({ now: () => past?.at ?? Date.now() })
const mail = await startFakeMail()
const push = await startFakePush()
const printed = new Map<string, unknown>()
try {
  const port = await findFreePort(Number(PORT))
  const variables = {
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    HOST: '127.0.0.1',
    DESK_PORT: String(await findFreePort(Number(DESK_PORT || 3001))),
    DATA_DIR: dataDir,
    SUPABASE_ANON_KEY: findPageKey(process.env),
    ...airtable.env,
    ...mail.env,
    CONFIRMATION_EMAIL: 'on',
    PUSH_SERVICES: pushHost,
  }
  const env = readEnv(variables, hours)
  await fillDatabase(env)
  const site = await startSite({ env, siteDir: 'dist', fetch: push.fetch, now: Date.now, log })
  print(`
The site                   http://localhost:${site.port}
The desk (link works once) ${await site.desk?.makeLink()}
The fake Airtable          ${airtable.url}
`)
  const { VITE_SUPABASE_URL } = process.env
  if (VITE_SUPABASE_URL)
    print(
      `The page sends leads to ${VITE_SUPABASE_URL} instead of this demo, because it was built with\nVITE_SUPABASE_URL. To see leads here, unset the variable and build again.\n`,
    )
  print(
    'Open the desk, which starts with eight sample leads. Then fill out the form on the site: the lead appears on\nthe desk, in the fake Airtable, and here as emails to staff and the homeowner. To sign in to the desk\nagain, use staff@example.com. Press Ctrl-C to stop the demo.\n',
  )
  const timer = setInterval(printNews, 100)
  await stopped
  clearInterval(timer)
  await site.stop()
} finally {
  await Promise.all([airtable.close(), mail.close(), push.close()])
  rmSync(dataDir, { recursive: true, force: true })
}
print('\nThe demo has ended. Its leads were deleted.')

/** Adds a fake push device and the sample leads. To add a real device, use the desk. */
async function fillDatabase(env: Env): Promise<void> {
  const { endpoint, keys } = push.addPhone('crew')
  const db = await openDatabase({ dataDir })
  await savePhone(db, { endpoint, ...keys, createdAt: Date.now() })
  if (past) await addSampleLeads(db, { env, company, hours, fetch: push.fetch, clock: past })
  past = undefined
  await db.close()
  // Print only what happens from now on.
  for (const { id, fields } of airtable.records) printed.set(id, fields.Status)
  for (const sent of [push.messages, mail.mails]) sent.length = 0
}

/** Prints new rows, Status changes, notifications, and emails. */
function printNews() {
  for (const { id, fields } of airtable.records) {
    if (fields.Status === undefined || printed.get(id) === fields.Status) continue
    printed.set(id, fields.Status)
    const cells = ['Name', 'Phone', 'Service', 'Status'].map((name) => String(fields[name] ?? ''))
    print(`Row in Airtable: ${makeSafe(cells.join(' | '))}`)
  }
  for (const { data } of push.messages.splice(0)) {
    const { title, body } = data.notification
    print(`Notification on Sam's phone: ${makeSafe(`${title}, ${body}`)}`)
  }
  for (const { to, subject, text } of mail.mails.splice(0)) {
    const who = to.includes('staff@example.com') ? 'staff' : 'the homeowner'
    print(`Email to ${who}: ${makeSafe(subject)}`)
    const link = text.match(/I am calling: (\S+)/)?.[1]
    if (link) print(`  Mark as called: ${link}`)
    const desk = text.match(/\S+#enter=\S+/)?.[0]
    if (desk) print(`  Open the desk: ${desk}`)
  }
}
