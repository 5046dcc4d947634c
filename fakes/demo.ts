import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeSafe } from '#leads/safe-text.ts'
import { UserError } from '#leads/user-error.ts'
import { findFreePort } from '#testing/processes.ts'
import { startSampleSite } from './sample-site.ts'

// Runs the site and the desk with sample leads and with fakes for Airtable, email, and push notifications.

const print = (text: string) => process.stdout.write(`${text}\n`)
const warnings: string[] = []
const log = {
  info: () => {},
  warn: (_: object, message: string) => warnings.push(message),
  error: (fields: object, message: string) => print(`${message} ${JSON.stringify(fields)}`),
}

const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop())

process.chdir(join(import.meta.dirname, '..'))
// Load the variables that the page was built with.
for (const file of ['.env.local', '.env']) if (existsSync(file)) process.loadEnvFile(file)
const { PORT, DESK_PORT } = process.env
const printed = new Map<string, unknown>()
const { site, airtable, mail, push, ...sample } = await startSampleSite({
  port: PORT ? Number(PORT) : await findFreePort(3000),
  deskPort: DESK_PORT ? Number(DESK_PORT) : await findFreePort(3001),
  log,
}).catch((error) => {
  process.stderr.write(`${error instanceof UserError ? error.message : error.stack}\n`)
  process.exit(1)
})
try {
  // Do not print what has happened to the sample leads.
  for (const { id, fields } of airtable.records) printed.set(id, fields.Status)
  for (const sent of [push.messages, mail.mails]) sent.length = 0
  print(`
The site                   http://localhost:${site.port}
The desk (link works once) ${(await site.desk?.makeLink()) ?? warnings.join('. ')}
The fake Airtable          ${airtable.url}
`)
  const { VITE_SUPABASE_URL } = process.env
  if (VITE_SUPABASE_URL)
    print(
      `The page sends leads to ${VITE_SUPABASE_URL} instead of this demo, because it was built with\nVITE_SUPABASE_URL. To see leads here, unset the variable and build again.\n`,
    )
  print(
    'Open the desk, which starts with eight sample leads. Then fill out the form on the site: the lead appears on\nthe desk, in the fake Airtable, and here as emails to you (crew@example.com) and the homeowner. To sign in to\nthe desk again, use crew@example.com. Press Ctrl-C to stop the demo.\n',
  )
  const timer = setInterval(printNews, 100)
  await stopped
  clearInterval(timer)
} finally {
  await sample.stop()
}
print('\nThe demo has ended. Its leads were deleted.')

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
    print(`Email to ${makeSafe(to.join(', '))}: ${makeSafe(subject)}`)
    const link = text.match(/I’m calling: (\S+)/)?.[1]
    if (link) print(`  Mark as called: ${link}`)
    const desk = text.match(/\S+#enter=\S+/)?.[0]
    if (desk) print(`  Open the desk: ${desk}`)
  }
}
