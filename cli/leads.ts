import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tokenPage } from '#leads/channels/airtable/client.ts'
import { checkAirtable, scopes } from '#leads/channels/airtable/setup.ts'
import { makeLink } from '#leads/desk/sign-in.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { type Env, readEnv } from '#leads/settings.ts'
import { readPending } from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { systemTimers } from '#leads/timers.ts'
import { UserError } from '#leads/user-error.ts'
import { openDatabase } from '#server/database.ts'
import { hours } from '#site/content.ts'
import { exportLeads } from './export-leads.ts'
import { formatPublishedPage } from './print-page.ts'
import { count, explainError, parseTyped, UsageError } from './terminal.ts'

const help = `Commands for the owner. To view, retry, or erase leads, use the desk.

  npm run leads -- desk             print a link that signs you in to the desk
  npm run leads -- export FILE      write all leads to FILE: JSON if it ends in .json, otherwise CSV
  npm run -s leads -- export        print all leads as CSV
  npm run -s leads -- page          print what was published on the desk, for site/content.ts
  npm run leads -- setup-airtable   check the token, base, table, and columns; create what is missing

  --json     export: JSON instead of CSV
  --force    export: replace FILE if it exists
  --help     print this text

See also: npm run desk, npm run backup, npm run restore, npm run doctor
`

const flag = { type: 'boolean' } as const
const options = { json: flag, force: flag, help: { ...flag, short: 'h' } } as const
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
  const { json = false, force = false } = values
  if (name !== 'export' && (json || force))
    throw new UsageError('--json and --force are only for export')
  return { name, file: targets[0], json, force }
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

export type Opened = Pick<Env, 'dataDir' | 'airtable' | 'timeZone'> & {
  /** Undefined if there is none, because a new, empty database would look as if all leads were lost. */
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
      if (command.name === 'export') await exportLeads(command, { ...opened, db, stdout })
      else if (command.name === 'page') stdout(await formatPublishedPage(db))
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

async function formatDeskLink(db: Database, desk: Opened['desk'], now: number): Promise<string> {
  if (!desk)
    throw new UserError(
      'The desk is not set up. Set DESK_URL in .env, such as https://desk.example.com.',
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
  const pending = db && (await readPending(db, ['airtable'], context.now()))
  const retry = ` ${count(pending?.leads ?? 0, 'lead')} pending: choose “Retry for all leads” on the desk.`
  stdout(`Ready.${pending ? retry : ''}\n`)
  return 0
}

export async function openLeads(variables: Record<string, string | undefined>): Promise<Opened> {
  const env = readEnv(variables, hours)
  const exists = env.databaseUrl !== undefined || existsSync(join(env.dataDir, 'leads.db'))
  return { ...env, db: exists ? await openDatabase(env) : undefined }
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
