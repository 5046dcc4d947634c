import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { makeSafe } from '#leads/safe-text.ts'
import { readEnv } from '#leads/settings.ts'
import { saveDevice } from '#leads/store/push-devices.ts'
import { findPageKey, type Given } from '#owner/doctor/settings.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { startAirtableStandIn } from './airtable-stand-in.ts'
import { startMailStandIn } from './mail-stand-in.ts'
import { pushHost, startPushStandIn } from './push-stand-in.ts'

// The whole product on this machine: the site with an embedded database in a folder that goes away,
// and stand-ins for Airtable and the staff's mail. Of the owner's own settings only the key is used
// that the page was built with.

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
const airtable = await startAirtableStandIn()
const mail = await startMailStandIn()
const push = await startPushStandIn()
const told = new Map<string, unknown>()
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
      `Mind: the page was built to send to ${given.VITE_SUPABASE_URL} (VITE_SUPABASE_URL), not to this demo.\nUnset it to see leads arrive here.\n`,
    )
  say(
    'Open the desk in another window, fill in the form and watch the lead arrive: there, in "Airtable" and as a\nmail to the staff. Sign in again as staff@example.com. Ctrl-C ends the demo.\n',
  )
  await addCrewPhone()
  const timer = setInterval(tellNews, 300)
  await stopped
  clearInterval(timer)
  await site.stop()
} finally {
  await Promise.all([airtable.close(), mail.close(), push.close()])
  rmSync(dataDir, { recursive: true, force: true })
}
say('\nThe demo has ended; its leads are gone with it.')

/** Somebody of the crew has let their phone ring; a real one can be added on the desk. */
async function addCrewPhone(): Promise<void> {
  const { endpoint, keys } = push.addPhone('crew')
  const db = await openDatabase({ dataDir })
  await saveDevice(db, {
    ...{ id: crypto.randomUUID(), sessionId: '', endpoint, ...keys },
    ...{ person: 'Sam', name: 'Phone in the demo', ringsFrom: 0, quietUntil: 0 },
    ...{ emergenciesRing: true, createdAt: Date.now(), goneAt: null },
  })
  await db.close()
}

/** The port everybody expects when it is free, else any. */
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

/** What the page was built with. */
function readBuildVariables(): Given {
  const files = ['.env', '.env.local'].filter((file) => existsSync(file))
  const texts = files.map((file) => parseEnv(readFileSync(file, 'utf8')))
  return Object.assign({}, ...texts, process.env)
}

/** Each row when it is whole and when its Status changes, and what the staff's phone would show. */
function tellNews() {
  for (const { id, fields } of airtable.records) {
    if (fields.Status === undefined || told.get(id) === fields.Status) continue
    told.set(id, fields.Status)
    const cells = ['Name', 'Phone', 'Service', 'Status'].map((name) => String(fields[name] ?? ''))
    say(`Row in "Airtable": ${makeSafe(cells.join(' | '))}`)
  }
  for (const { data } of push.messages.splice(0)) {
    const { title, body } = data.notification
    say(`Sam's phone rings: ${makeSafe(`${title}, ${body}`)}`)
  }
  for (const { subject, text } of mail.mails.splice(0)) {
    say(`Mail to the staff: ${makeSafe(subject)}`)
    const link = text.match(/I am calling: (\S+)/)?.[1]
    if (link) say(`  Say that you are calling: ${link}`)
    const desk = text.match(/\S+#enter=\S+/)?.[0]
    if (desk) say(`  Open the desk: ${desk}`)
  }
}
