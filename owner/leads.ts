import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { mapReceivers } from '#leads/delivery/receivers.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { readEnv } from '#leads/settings.ts'
import { listDevices } from '#leads/store/push-devices.ts'
import { UserError } from '#leads/user-error.ts'
import { openDatabase } from '#server/database.ts'
import { printDeskLink } from './desk-link.ts'
import { eraseOneLead } from './erase-lead.ts'
import { exportLeads } from './export-leads.ts'
import {
  type Command,
  type CommandName,
  type Deps,
  help,
  type LeadsDeps,
  type Outcome,
  parseCommand,
} from './leads-command.ts'
import { dropForReceiver, retryLeads } from './retry-and-drop.ts'
import { setUp } from './set-up-airtable.ts'
import { showLatest, showLead } from './show-leads.ts'
import { showPromise } from './show-promise.ts'
import { explainError, makeSafeJson } from './terminal.ts'
import { UsageError } from './usage.ts'

/** Returns the exit code: 0 done, 1 not done, 2 not understood. */
export async function runLeads(args: readonly string[], deps: LeadsDeps): Promise<number> {
  try {
    const command = parseCommand(args)
    if (command === 'help') {
      deps.stdout(help)
      return 0
    }
    const { json, text, isDone = true } = await runCommand(command, deps)
    deps.stdout(command.json ? `${makeSafeJson(json)}\n` : text)
    return isDone ? 0 : 1
  } catch (error) {
    if (error instanceof UsageError) {
      deps.stderr(`${makeSafe(error.message)}. Try: npm run leads -- --help\n`)
      return 2
    }
    deps.stderr(`${explainError(error)}\n`)
    return 1
  }
}

async function runCommand(command: Command, deps: LeadsDeps): Promise<Outcome> {
  const opened = await deps.open()
  const { db, dataDir = '' } = opened
  try {
    if (command.name === 'setup-airtable') return await setUp({ ...deps, ...opened })
    if (!db)
      throw new UserError(
        `There is no database in ${resolve(dataDir)} (DATA_DIR). Is this the folder the site runs in?`,
      )
    return await commands[command.name](command, { ...deps, ...opened, db })
  } finally {
    await db?.close?.()
  }
}

type OfLeads = Exclude<CommandName, 'setup-airtable'>
const commands: Record<OfLeads, (command: Command, deps: Deps) => Promise<Outcome>> = {
  list: showLatest,
  show: showLead,
  export: exportLeads,
  promise: showPromise,
  retry: retryLeads,
  drop: dropForReceiver,
  erase: eraseOneLead,
  desk: printDeskLink,
}

/** What the owner's variables name. A database that is not there is not made. */
export async function openLeads(variables: Record<string, string | undefined>) {
  const env = readEnv(variables)
  const { airtable, timeZone, databaseUrl, dataDir, desk } = env
  const isThere = databaseUrl !== undefined || existsSync(join(dataDir, 'leads.db'))
  const db = isThere ? await openDatabase(env) : undefined
  const receivers = mapReceivers(env, db && (await listDevices(db)))
  return { db, dataDir, airtable, receivers, timeZone, desk }
}

async function askAtTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  return terminal.question(question).finally(() => terminal.close())
}

if (import.meta.main) {
  // `npm run leads | head` closes the pipe early; that is no error.
  process.stdout.on('error', () => process.exit(0))
  process.exitCode = await runLeads(process.argv.slice(2), {
    open: () => openLeads(process.env),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    ask: process.stdin.isTTY && process.stdout.isTTY ? askAtTerminal : undefined,
    fetch,
    pause,
    now: Date.now,
  })
}
