import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tokenPage } from '#leads/channels/airtable/client.ts'
import { checkAirtable, scopes } from '#leads/channels/airtable/setup.ts'
import { rowRecipients } from '#leads/channels/channels.ts'
import { makeLink } from '#leads/desk/sign-in.ts'
import { formatCsv, readPages } from '#leads/reports/csv.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { type Env, readEnv } from '#leads/settings.ts'
import { readPending } from '#leads/store/find-leads.ts'
import type { Database } from '#leads/store/tables.ts'
import { systemTimers } from '#leads/timers.ts'
import { UserError } from '#leads/user-error.ts'
import { count } from '#leads/words.ts'
import { openDatabase } from '#server/database.ts'
import { hours } from '#site/content.ts'
import { formatPublishedPage } from './print-page.ts'
import { explainError, parseTyped, UsageError } from './terminal.ts'

const help = `Commands for the owner. To view or erase leads, or to resend messages, use the desk.

  npm run leads -- desk             print a link that signs you in to the desk
  npm run leads -- export FILE      write all leads to FILE as CSV
  npm run -s leads -- export        print them
  npm run -s leads -- page          print what was published on the desk, for site/content.ts
  npm run leads -- setup-airtable   check the token, base, table, and columns; create what is missing

See also: npm run desk, npm run backup, npm run restore, npm run doctor
`

const options = { help: { type: 'boolean', short: 'h' } } as const
const commands = ['desk', 'export', 'page', 'setup-airtable'] as const

function parseCommand(args: readonly string[]) {
  const { values, positionals } = parseTyped({ args: [...args], options, allowPositionals: true })
  const [typed = 'help', ...targets] = positionals
  if (values.help || typed === 'help') return { name: 'help' } as const
  const name = commands.find((command) => command === typed)
  if (!name)
    throw new UsageError(`Unknown command "${typed}". The commands are ${commands.join(', ')}`)
  const extra = targets.slice(name === 'export' ? 1 : 0)
  if (extra.length > 0) throw new UsageError(`Unexpected argument "${extra.join(' ')}"`)
  return { name, file: targets[0] }
}

type LeadsContext = {
  /** Reads the environment and opens the database. Called only for valid commands. */
  open: () => Promise<Opened>
  stdout: (text: string) => void
  stderr: (text: string) => void
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  now: () => number
}

export type Opened = Pick<Env, 'dataDir' | 'airtable'> & {
  timeZone: string
  /** Undefined if there is no database, because creating an empty one would look as if all leads were lost. */
  db: (Database & { close?: () => Promise<void> }) | undefined
  desk: { url: string } | undefined
}

/** Returns the exit code: 0 for success, 1 for failure, 2 for a mistake on the command line. */
export async function runLeads(args: readonly string[], context: LeadsContext): Promise<number> {
  const { stdout, stderr } = context
  try {
    const command = parseCommand(args)
    if (command.name === 'help') {
      stdout(help)
      return 0
    }
    const opened = await context.open()
    const { db, dataDir } = opened
    try {
      if (command.name === 'setup-airtable') return await setUp({ ...context, ...opened })
      if (!db)
        throw new UserError(
          `There is no database in ${resolve(dataDir)} (DATA_DIR). Run this in the site’s folder, or check DATA_DIR.`,
        )
      if (command.name === 'export') await exportLeads(command.file, { ...opened, db, stdout })
      else if (command.name === 'page') stdout(await formatPublishedPage(db, context.now()))
      else stdout(await formatDeskLink(db, opened.desk, context.now()))
      return 0
    } finally {
      await db?.close?.()
    }
  } catch (error) {
    if (error instanceof UsageError) {
      stderr(`${makeSafe(error.message)}. Try: npm run leads -- --help\n`)
      return 2
    }
    stderr(`${explainError(error)}\n`)
    return 1
  }
}

/** Writes all leads to the file as CSV, or to stdout if no file is given. */
async function exportLeads(
  file: string | undefined,
  { db, timeZone, stdout }: { db: Database; timeZone: string; stdout: (text: string) => void },
): Promise<void> {
  let leads = 0
  async function* readAndCount() {
    for await (const page of readPages(db)) {
      leads += page.length
      yield page
    }
  }
  const texts = formatCsv(readAndCount(), timeZone)
  if (file) {
    await writeNewFile(file, texts)
    stdout(`Wrote ${count(leads, 'lead')} to ${makeSafe(file)}.\n`)
  } else for await (const text of texts) stdout(text)
}

/** Writes the whole file or nothing. Only its owner can read it. */
async function writeNewFile(file: string, content: AsyncIterable<string>) {
  if (existsSync(file)) throw new UserError(`${file} already exists. Choose another name.`)
  const part = `${file}.part`
  try {
    await writeFile(part, content, { mode: 0o600 })
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    const { message } = error as Error
    throw new UserError(
      `Could not write ${resolve(file)} (${message}). Choose a folder that you have permission to write to.`,
    )
  }
}

async function formatDeskLink(db: Database, desk: Opened['desk'], now: number): Promise<string> {
  if (!desk)
    throw new UserError(
      'The desk is not set up. Set DESK_URL in .env to a URL such as https://desk.example.com.',
    )
  const link = await makeLink(db, { url: desk.url, now })
  return `Open this link within 15 minutes. It works once:\n${link}\n`
}

/** Also works before the first start, when there is no database. */
async function setUp({ db, airtable, stdout, ...context }: LeadsContext & Opened): Promise<number> {
  if (!airtable)
    throw new UserError(
      `Set AIRTABLE_TOKEN (from ${tokenPage}, with the scopes ${scopes.join(', ')} and access to your base) and AIRTABLE_BASE_ID (the part of the base’s URL that starts with "app") in .env, then run this again.`,
    )
  const { done, todo, blocker } = await checkAirtable(airtable, {
    ...context,
    timers: systemTimers,
    creates: true,
  })
  for (const line of done) stdout(`✓ ${makeSafe(line)}\n`)
  for (const line of todo) stdout(`✗ ${makeSafe(line)}\n`)
  if (todo.length > 0) {
    const what =
      blocker === 'airtable'
        ? 'Check this machine’s internet connection and https://status.airtable.com'
        : 'Fix this'
    stdout(`${what}, then run the command again.\n`)
    return 1
  }
  const pending = db && (await readPending(db, rowRecipients, context.now()))
  const retry = ` ${count(pending?.leads ?? 0, 'lead')} pending: choose “Retry now” on the desk.`
  stdout(`Ready.${pending ? retry : ''}\n`)
  return 0
}

export async function openLeads(
  variables: Record<string, string | undefined>,
  migrations?: string,
): Promise<Opened> {
  const env = readEnv(variables)
  const exists = env.databaseUrl !== undefined || existsSync(join(env.dataDir, 'leads.db'))
  const db = exists ? await openDatabase({ ...env, mayMigrate: false }, migrations) : undefined
  return { ...env, timeZone: hours.timeZone, db }
}

if (import.meta.main) {
  // Closing the pipe early is not an error: `npm run -s leads -- export | head`.
  process.stdout.on('error', () => process.exit(0))
  process.exitCode = await runLeads(process.argv.slice(2), {
    open: () => openLeads(process.env),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    fetch,
    pause,
    now: Date.now,
  })
}
