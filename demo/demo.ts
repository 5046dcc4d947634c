import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { makeSafe } from '#leads/safe-text.ts'
import { findPageKey, type Given } from '#owner/doctor/settings.ts'
import { formatTable } from '#owner/terminal.ts'
import { type AirtableStandIn, startAirtableStandIn } from './airtable-stand-in.ts'
import { type MailStandIn, type ReceivedMail, startMailStandIn } from './mail-stand-in.ts'

// The whole product on this machine: the site with an embedded database in a folder that goes away,
// and stand-ins for Airtable and the staff's mail. Of the owner's own settings only the key is used
// that the page was built with.

const root = join(import.meta.dirname, '..')
const say = (text: string) => process.stdout.write(text)

/** The port everybody expects when it is free, else any. */
async function findPort(wanted: number): Promise<number> {
  const probe = createServer()
  try {
    probe.listen(wanted, '127.0.0.1')
    await once(probe, 'listening')
    const address = probe.address()
    return typeof address === 'object' && address ? address.port : wanted
  } catch {
    return findPort(0)
  } finally {
    probe.close()
  }
}

function startSite(port: number, dataDir: string, airtable: AirtableStandIn, mail: MailStandIn) {
  const site = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      SUPABASE_ANON_KEY: findPageKey(readBuildVariables()),
      AIRTABLE_TOKEN: airtable.token,
      AIRTABLE_BASE_ID: airtable.baseId,
      AIRTABLE_TABLE: airtable.tableName,
      AIRTABLE_API_URL: airtable.url,
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'site@example.com',
      ALERT_EMAIL_TO: 'staff@example.com',
    },
  })
  // Its log would tear the live table apart; it is shown only if the site ends by itself.
  let log = ''
  for (const stream of [site.stdout, site.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-4_000)
    })
  return { site, readLog: () => log }
}

async function waitUntilUp(url: string, site: ChildProcess): Promise<boolean> {
  while (site.exitCode === null && site.signalCode === null) {
    const answer = await fetch(`${url}/healthz`).catch(() => undefined)
    if (answer?.ok) return true
    await pause(100)
  }
  return false
}

const columns = [
  { title: 'Received', minWidth: 8 },
  { title: 'Name', minWidth: 10 },
  { title: 'Phone', minWidth: 10 },
  { title: 'Service', minWidth: 8 },
  { title: 'Status', minWidth: 6 },
  { title: 'Lead ID', minWidth: 8 },
]
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

function formatRows(airtable: AirtableStandIn, from: number, width?: number) {
  const rows = airtable.records
    .slice(from)
    .map(({ fields }) => [
      clock.format(new Date(String(fields['Received At']))),
      ...['Name', 'Phone', 'Service', 'Status', 'Lead ID'].map((name) =>
        String(fields[name] ?? ''),
      ),
    ])
  return formatTable(columns, rows, width)
}

/** What the staff's phone would show; the link ends the reminders and sets the row's Status. */
function formatMail({ subject, text }: ReceivedMail) {
  const link = text.match(/I am calling: (\S+)/)?.[1]
  return `Mail to the staff: ${makeSafe(subject)}\n${link ? `  Say that you are calling: ${link}\n` : ''}`
}

/** On a terminal everything is drawn anew in place; elsewhere each new row and mail is a line. */
function createLiveView(airtable: AirtableStandIn, { mails }: MailStandIn) {
  let drawn = ''
  let lines = 0
  let told = 0
  let read = 0
  return () => {
    if (!process.stdout.isTTY) {
      const whole = airtable.records.filter(({ fields }) => fields.Status !== undefined).length
      if (whole > told) say(formatRows(airtable, told).split('\n').slice(1).join('\n'))
      told = Math.max(told, whole)
      for (; read < mails.length; read++) say(formatMail(mails[read] as ReceivedMail))
      return
    }
    const latest = Math.max(0, airtable.records.length - (process.stdout.rows ?? 24) + 14)
    const mail = mails.at(-1)
    const table =
      formatRows(airtable, latest, process.stdout.columns) + (mail ? `\n${formatMail(mail)}` : '')
    if (table === drawn) return
    say(`${lines > 0 ? `\x1b[${lines}A` : ''}\x1b[J${table}`)
    drawn = table
    // A link that is longer than the terminal is wide takes two lines of it.
    const width = process.stdout.columns || 80
    lines = table
      .trimEnd()
      .split('\n')
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0)
  }
}

/** What the page was built with. */
function readBuildVariables(): Given {
  const files = ['.env', '.env.local'].filter((file) => existsSync(file))
  return Object.assign(
    {},
    ...files.map((file) => parseEnv(readFileSync(file, 'utf8'))),
    process.env,
  )
}

function warnOfOtherBackend() {
  const backend = readBuildVariables().VITE_SUPABASE_URL
  if (backend)
    say(
      `Mind: the page was built to send to ${backend} (VITE_SUPABASE_URL), not to this demo.\nUnset it to see leads arrive here.\n\n`,
    )
}

const stop = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop.resolve)

process.chdir(root)
const dataDir = mkdtempSync(join(tmpdir(), 'roofing-demo-'))
const airtable = await startAirtableStandIn()
const mail = await startMailStandIn()
const port = await findPort(Number(process.env.PORT ?? 3000))
const url = `http://localhost:${port}`
const { site, readLog } = startSite(port, dataDir, airtable, mail)
const ended = once(site, 'exit')

const isUp = await Promise.race([waitUntilUp(url, site), stop.promise])
if (isUp) {
  say(`
The site                     ${url}
What arrives in "Airtable"   ${airtable.url}

`)
  warnOfOtherBackend()
  say(
    'Fill in the form and watch the lead arrive, in "Airtable" and as a mail to the staff. Ctrl-C ends the demo.\n\n',
  )
  const draw = createLiveView(airtable, mail)
  const drawing = setInterval(draw, 300)
  await Promise.race([stop.promise, ended])
  clearInterval(drawing)
}

const endedByItself = site.exitCode !== null
site.kill('SIGTERM')
// The site promises to end within 10 s.
const killing = setTimeout(() => site.kill('SIGKILL'), 12_000)
await (site.exitCode === null && site.signalCode === null ? ended : undefined)
clearTimeout(killing)
await Promise.all([airtable.close(), mail.close()])
rmSync(dataDir, { recursive: true, force: true })
if (endedByItself) {
  // After Ctrl-C the terminal stops both at once, which is as it should be.
  process.exitCode = site.exitCode === 0 ? 0 : 1
  if (process.exitCode) process.stderr.write(`The site has ended:\n${readLog()}`)
} else say('\nThe demo has ended; its leads are gone with it.\n')
