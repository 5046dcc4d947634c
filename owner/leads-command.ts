import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { AirtableSettings } from '#leads/airtable/client.ts'
import type { Database } from '#leads/store/tables.ts'

export const help = `The owner's view of the leads.

  npm run leads                           the latest leads and where they have arrived
  npm run leads -- show ID                one lead in full; the first letters of its ID suffice
  npm run leads -- export leads.csv       all leads, for a spreadsheet
  npm run leads -- promise                how the ten-minute promise was kept
  npm run leads -- retry ID|all           send what waits now, not at its next turn
  npm run leads -- drop CHANNEL           give up what waits for a receiver who is gone
  npm run leads -- erase ID               forget a person: here and in Airtable
  npm run leads -- setup-airtable         check token, base, table and columns; make what is missing

  --limit N      how many leads to list (20)
  --json         for programs (npm run -s leads -- --json)
  --days N       promise: of the last N days (30)
  --from, --to   promise: from and to these days, such as 2026-11-01; both count
  --html FILE    promise: also as a page with charts
  --force        export, promise: replace the file if it is there
  --yes          erase: do not ask
  --store-only   erase: leave Airtable alone
  --help         this text
`

const optionsOf = {
  list: ['json', 'limit'],
  show: ['json'],
  export: ['json', 'force'],
  promise: ['json', 'days', 'from', 'to', 'html', 'force'],
  retry: ['json'],
  drop: ['json'],
  erase: ['json', 'yes', 'store-only'],
  'setup-airtable': ['json'],
} as const
export type CommandName = keyof typeof optionsOf
const targetOf: Partial<Record<CommandName, string>> = {
  show: 'the ID of a lead',
  export: 'the name of a file, such as leads.csv',
  retry: 'the ID of a lead, or all',
  drop: 'the name of a channel, as npm run leads shows it',
  erase: 'the ID of a lead',
}

export type Command = {
  name: CommandName
  target: string
  json: boolean
  limit: number
  force: boolean
  yes: boolean
  storeOnly: boolean
  days: number
  from?: string | undefined
  to?: string | undefined
  html?: string | undefined
}

/** A sentence for the owner about what was typed. */
export class UsageError extends Error {}
/** A sentence for the owner about what did not work. */
export class Failure extends Error {}

/** Why a file that the owner named could not be written, and what to do about it. */
export function explainUnwritten(file: string, error: unknown): Failure {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Failure(
    ['EACCES', 'EPERM', 'EROFS'].includes(code)
      ? `You may not write to ${resolve(file)}. Name a file in a folder that you may write to.`
      : `${file} could not be written: ${message}.`,
  )
}

export function parseCommand(args: readonly string[]): Command | 'help' {
  let parsed: ReturnType<typeof parseOptions>
  try {
    parsed = parseOptions(args)
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0])
  }
  const { values, positionals } = parsed
  if (values.help || positionals[0] === 'help') return 'help'

  const [name = 'list', target = '', ...rest] = positionals
  if (!isCommand(name))
    throw new UsageError(`There is no command "${name}". There are: ${commandNames.join(', ')}`)
  const wanted = targetOf[name]
  if (wanted && !target) throw new UsageError(`"${name}" needs ${wanted}`)
  const tooMuch = wanted ? rest : [target, ...rest].filter(Boolean)
  if (tooMuch.length > 0)
    throw new UsageError(`"${name}" does not know what to do with "${tooMuch.join(' ')}"`)
  const allowed: readonly string[] = optionsOf[name]
  const stray = Object.keys(values).find((option) => !allowed.includes(option))
  if (stray) throw new UsageError(`--${stray} means nothing to "${name}"`)
  const limit = values.limit ?? '20'
  if (!/^[1-9]\d{0,5}$/.test(limit))
    throw new UsageError(`--limit takes a whole number from 1 to 999999, not "${limit}"`)
  const days = values.days ?? '30'
  if (!/^[1-9]\d{0,3}$/.test(days))
    throw new UsageError(`--days takes a whole number from 1 to 9999, not "${days}"`)
  if (values.days && (values.from || values.to))
    throw new UsageError('Give either --days or --from and --to')
  return {
    name,
    target,
    json: values.json ?? false,
    limit: Number(limit),
    force: values.force ?? false,
    yes: values.yes ?? false,
    storeOnly: values['store-only'] ?? false,
    days: Number(days),
    from: values.from,
    to: values.to,
    html: values.html,
  }
}

const parseOptions = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      limit: { type: 'string' },
      force: { type: 'boolean' },
      yes: { type: 'boolean' },
      'store-only': { type: 'boolean' },
      days: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      html: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })

const commandNames = Object.keys(optionsOf) as CommandName[]
const isCommand = (name: string): name is CommandName =>
  commandNames.some((command) => command === name)

export type LeadsDeps = {
  /** Reads the environment and opens the database: not before the command makes sense. */
  open: () => Promise<Opened>
  stdout: (text: string) => void
  stderr: (text: string) => void
  /** The terminal's width; none: the output goes to a file or a program and nothing is cut. */
  width?: number | undefined
  /** Asks the person at the terminal; none: nobody is there. */
  ask?: ((question: string) => Promise<string>) | undefined
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  now: () => number
  timeZone?: string
}

type Opened = {
  /** None where the site has never run: looking must not make one, for it would say that there are no leads. */
  db: (Database & { close?: () => Promise<void> }) | undefined
  dataDir?: string
  airtable: AirtableSettings | undefined
  /** By channel. */
  receivers?: ReadonlyMap<string, string>
  timeZone?: string
}
export type Deps = LeadsDeps & Opened & { db: Database }
