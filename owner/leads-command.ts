import type { AirtableSettings } from '#leads/airtable/client.ts'
import type { Database } from '#leads/store/tables.ts'
import { parseTyped, UsageError } from './usage.ts'

export const help = `The owner's view of the leads.

  npm run leads                           the latest leads and where they have arrived
  npm run leads -- show ID                one lead in full; the first letters of its ID suffice
  npm run leads -- export leads.csv       all leads, for a spreadsheet
  npm run leads -- promise                how the ten-minute promise was kept
  npm run leads -- retry ID|all           send what waits now, not at its next turn
  npm run leads -- drop CHANNEL           give up what waits for a receiver who is gone
  npm run leads -- erase ID               forget a person: here and in Airtable
  npm run leads -- desk                   a link that opens the desk, once, for 15 minutes
  npm run leads -- setup-airtable         check token, base, table and columns; make what is missing

  --limit N      how many leads to list (20)
  --json         for programs (npm run -s leads -- --json)
  --days N       promise: of the last N days (30)
  --from, --to   promise: from and to these days, such as 2026-11-01; both count
  --force        export: replace the file if it is there
  --yes          erase: do not ask
  --store-only   erase: leave Airtable alone
  --help         this text
`

type Rules = { target?: string; options?: readonly string[] }
const commands = {
  list: { options: ['limit'] },
  show: { target: 'the ID of a lead' },
  export: { target: 'the name of a file, such as leads.csv', options: ['force'] },
  promise: { options: ['days', 'from', 'to'] },
  retry: { target: 'the ID of a lead, or all' },
  drop: { target: 'the name of a channel, as npm run leads shows it' },
  erase: { target: 'the ID of a lead', options: ['yes', 'store-only'] },
  desk: {},
  'setup-airtable': {},
} as const satisfies Record<string, Rules>

export type CommandName = keyof typeof commands
export type Command = Exclude<ReturnType<typeof parseCommand>, 'help'>

/** What a command has to say, for a program or for a person. */
export type Outcome = { json: unknown; text: string; isDone?: boolean }

export function parseCommand(args: readonly string[]) {
  const { values, positionals } = parseTyped({ args: [...args], options, allowPositionals: true })
  if (values.help || positionals[0] === 'help') return 'help'

  const [typed = 'list', target = '', ...rest] = positionals
  if (!Object.hasOwn(commands, typed))
    throw new UsageError(
      `There is no command "${typed}". There are: ${Object.keys(commands).join(', ')}`,
    )
  const name = typed as CommandName
  const rules: Rules = commands[name]
  if (rules.target && !target) throw new UsageError(`"${name}" needs ${rules.target}`)
  const tooMuch = rules.target ? rest : [target, ...rest].filter(Boolean)
  if (tooMuch.length > 0)
    throw new UsageError(`"${name}" does not know what to do with "${tooMuch.join(' ')}"`)
  const allowed = ['json', ...(rules.options ?? [])]
  const stray = Object.keys(values).find((option) => !allowed.includes(option))
  if (stray) throw new UsageError(`--${stray} means nothing to "${name}"`)
  if (values.days && (values.from || values.to))
    throw new UsageError('Give either --days or --from and --to')
  return {
    ...values,
    name,
    target,
    limit: parseNumber('limit', values.limit ?? '20', 999_999),
    days: parseNumber('days', values.days ?? '30', 9_999),
  }
}

function parseNumber(option: string, text: string, most: number): number {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text)
  throw new UsageError(`--${option} takes a whole number from 1 to ${most}, not "${text}"`)
}

const flag = { type: 'boolean' } as const
const value = { type: 'string' } as const
const options = {
  json: flag,
  limit: value,
  force: flag,
  yes: flag,
  'store-only': flag,
  days: value,
  from: value,
  to: value,
  help: { ...flag, short: 'h' },
} as const

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

export type Opened = {
  /** None where the site has never run: looking must not make one, for it would say that there are no leads. */
  db: (Database & { close?: () => Promise<void> }) | undefined
  dataDir?: string
  airtable: AirtableSettings | undefined
  /** By channel. */
  receivers?: ReadonlyMap<string, string>
  timeZone?: string
  /** None where there is no desk. */
  desk?: { url: string; mayEnter: readonly string[] } | undefined
}
export type Deps = LeadsDeps & Opened & { db: Database }
