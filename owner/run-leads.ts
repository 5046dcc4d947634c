import { resolve } from 'node:path'
import { makeSafe } from '#leads/safe-text.ts'
import { UserError } from '#leads/user-error.ts'
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
