import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { RawEnv } from '#cli/doctor/checks.ts'
import { findPageKey } from '#cli/doctor/site-checks.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { readEnv } from '#leads/settings.ts'
import { saveDevice } from '#leads/store/push-devices.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { makePhone } from '#testing/saved-leads.ts'
import { startFakeAirtable } from './airtable.ts'
import { startFakeMail } from './mail.ts'
import { pushHost, startFakePush } from './push.ts'

// Runs the whole product with a temporary database and fakes for Airtable, mail, and push. It uses
// none of the owner's settings except the key that the page was built with.

const say = (text: string) => process.stdout.write(`${text}\n`)
const log = {
  info: () => {},
  warn: () => {},
  error: (fields: object, message: string) => say(`${message} ${JSON.stringify(fields)}`),
}

const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop())

process.chdir(join(import.meta.dirname, '..'))
const given = readBuildVariables()
const dataDir = mkdtempSync(join(tmpdir(), 'roofing-demo-'))
const airtable = await startFakeAirtable()
const mail = await startFakeMail()
const push = await startFakePush()
const printed = new Map<string, unknown>()
try {
  const env = readEnv({
    PORT: String(await findPort(Number(process.env.PORT ?? 3000))),
    HOST: '127.0.0.1',
    DESK_PORT: String(await findPort(Number(process.env.DESK_PORT || 3001))),
    DATA_DIR: dataDir,
    SUPABASE_ANON_KEY: findPageKey(given),
    ...airtable.env,
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'site@example.com',
    ALERT_EMAIL_TO: 'staff@example.com',
    PUSH_SERVICES: pushHost,
  })
  const site = await startSite({ env, siteDir: 'dist', fetch: push.fetch, now: Date.now, log })
  say(`
The site                     http://localhost:${site.port}
The desk (opens once)        ${await site.desk?.makeLink()}
What arrives in "Airtable"   ${airtable.url}
`)
  if (given.VITE_SUPABASE_URL)
    say(
      `The page was built to send leads to ${given.VITE_SUPABASE_URL} (VITE_SUPABASE_URL), not to this demo.\nUnset it to see leads arrive here.\n`,
    )
  say(
    'Open the desk in another window and fill in the form. The lead arrives on the desk, in "Airtable",\nand as a mail to the staff. To sign in again, use staff@example.com. Ctrl-C ends the demo.\n',
  )
  await addCrewPhone()
  const timer = setInterval(printNews, 300)
  await stopped
  clearInterval(timer)
  await site.stop()
} finally {
  await Promise.all([airtable.close(), mail.close(), push.close()])
  rmSync(dataDir, { recursive: true, force: true })
}
say('\nThe demo has ended. Its leads are deleted.')

/** Adds a push device; the desk can add a real one. */
async function addCrewPhone(): Promise<void> {
  const { endpoint, keys } = push.addPhone('crew')
  const db = await openDatabase({ dataDir })
  await saveDevice(db, makePhone({ endpoint, ...keys, createdAt: Date.now() }))
  await db.close()
}

/** Returns the wanted port if it is free, or any other. */
async function findPort(wanted: number): Promise<number> {
  const probe = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(probe, 'listening')
    return (probe.address() as AddressInfo).port
  } catch {
    return findPort(0)
  } finally {
    probe.close()
  }
}

/** Returns the variables that the page was built with. */
function readBuildVariables(): RawEnv {
  const files = ['.env', '.env.local'].filter((file) => existsSync(file))
  const texts = files.map((file) => parseEnv(readFileSync(file, 'utf8')))
  return Object.assign({}, ...texts, process.env)
}

/** Prints new rows, changes of Status, notifications, and mails. */
function printNews() {
  for (const { id, fields } of airtable.records) {
    if (fields.Status === undefined || printed.get(id) === fields.Status) continue
    printed.set(id, fields.Status)
    const cells = ['Name', 'Phone', 'Service', 'Status'].map((name) => String(fields[name] ?? ''))
    say(`Row in "Airtable": ${makeSafe(cells.join(' | '))}`)
  }
  for (const { data } of push.messages.splice(0)) {
    const { title, body } = data.notification
    say(`Notification on Sam's phone: ${makeSafe(`${title}, ${body}`)}`)
  }
  for (const { subject, text } of mail.mails.splice(0)) {
    say(`Mail to the staff: ${makeSafe(subject)}`)
    const link = text.match(/I am calling: (\S+)/)?.[1]
    if (link) say(`  Mark it as called: ${link}`)
    const desk = text.match(/\S+#enter=\S+/)?.[0]
    if (desk) say(`  Open the desk: ${desk}`)
  }
}
