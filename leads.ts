import { createWriteStream } from 'node:fs'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { byteOrderMark, formatCsvLine } from './owner/csv.ts'
import {
  computeReport,
  findMidnight,
  formatReport,
  type PromiseReport,
} from './owner/promise-report.ts'
import { formatReportHtml } from './owner/promise-report-html.ts'
import { formatTable, makeSafe, makeSafeJson } from './owner/terminal.ts'
import { openDatabase } from './server/database.ts'
import {
  type AirtableSettings,
  eraseFromAirtable,
} from './supabase/functions/submit-to-airtable/airtable.ts'
import { setUpAirtable } from './supabase/functions/submit-to-airtable/airtable-setup.ts'
import { formatDuration } from './supabase/functions/submit-to-airtable/alert.ts'
import { listReceivers, stoppedWebhook } from './supabase/functions/submit-to-airtable/channels.ts'
import { readEnv } from './supabase/functions/submit-to-airtable/env.ts'
import { serviceTypes } from './supabase/functions/submit-to-airtable/lead.ts'
import { promiseMs } from './supabase/functions/submit-to-airtable/promise.ts'
import { describeSource, explainSource } from './supabase/functions/submit-to-airtable/source.ts'
import {
  acquireChannel,
  countLeads,
  countWaiting,
  type Database,
  type Delivery,
  eraseLead,
  findLeadsByPrefix,
  type LeadWithDeliveries,
  listHandOvers,
  listLeads,
  listPromises,
  releaseChannel,
  removeSetting,
  retryDeliveries,
} from './supabase/functions/submit-to-airtable/store.ts'

const help = `The owner's view of the leads.

  npm run leads                           the latest leads and where they have arrived
  npm run leads -- show ID                one lead in full; the first letters of its ID suffice
  npm run leads -- export leads.csv       all leads, for a spreadsheet
  npm run leads -- promise                how the ten-minute promise was kept
  npm run leads -- retry ID|all           send what waits now, not at its next turn
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
  erase: ['json', 'yes', 'store-only'],
  'setup-airtable': ['json'],
} as const
type CommandName = keyof typeof optionsOf
const targetOf: Partial<Record<CommandName, string>> = {
  show: 'the ID of a lead',
  export: 'the name of a file, such as leads.csv',
  retry: 'the ID of a lead, or all',
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
class UsageError extends Error {}
/** A sentence for the owner about what did not work. */
class Failure extends Error {}

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
  db: Database & { close?: () => Promise<void> }
  airtable: AirtableSettings | undefined
  /** By channel. */
  receivers?: ReadonlyMap<string, string>
  timeZone?: string
}
type Deps = LeadsDeps & Opened

/** Returns the exit code: 0 done, 1 not done, 2 not understood. */
export async function runLeads(args: readonly string[], deps: LeadsDeps): Promise<number> {
  try {
    const command = parseCommand(args)
    if (command === 'help') {
      deps.stdout(help)
      return 0
    }
    const opened = await deps.open()
    try {
      return await commands[command.name](command, { ...deps, ...opened })
    } finally {
      await opened.db.close?.()
    }
  } catch (error) {
    if (error instanceof UsageError) {
      deps.stderr(`${makeSafe(error.message)}. Try: npm run leads -- --help\n`)
      return 2
    }
    deps.stderr(`${makeSafe((error as Error).message)}\n`)
    return 1
  }
}

const commands: Record<CommandName, (command: Command, deps: Deps) => Promise<number>> = {
  list: showLatest,
  show: showLead,
  export: exportLeads,
  promise: showPromise,
  retry: retryLeads,
  erase: eraseOneLead,
  'setup-airtable': setUp,
}

async function showLatest({ json, limit }: Command, deps: Deps): Promise<number> {
  const { db, stdout, width, airtable } = deps
  const leads = await listLeads(db, { limit })
  const total = await countLeads(db)
  if (json) {
    stdout(`${makeSafeJson({ total, leads: leads.map(toJson) })}\n`)
    return 0
  }
  if (total === 0) {
    stdout('No leads yet.\n')
  } else {
    const rows = leads.map((lead) => [
      lead.id.slice(0, 8),
      formatShortTime(lead.receivedAt, deps),
      lead.name,
      lead.phone,
      labelOf(lead),
      describeCall(lead, deps.now()),
      // Reminders that went out or were not needed would drown the rest; `show` has them.
      lead.deliveries
        .filter(({ occasion, state }) => occasion === 'received' || state === 'waiting')
        .map(describeBriefly)
        .join(', ') || 'nowhere to go',
      lead.source === null ? '' : describeSource(lead.source),
    ])
    // The last column, where the lead came from, waits for a wide terminal; `show` has it.
    const columns = width === undefined || width >= 100 ? listColumns : listColumns.slice(0, -1)
    stdout(
      formatTable(
        columns,
        rows.map((row) => row.slice(0, columns.length)),
        width,
      ),
    )
    if (leads.length < total)
      stdout(`\nThe latest ${leads.length} of ${total} leads; --limit ${total} shows all.\n`)
  }
  for (const { channel, waiting, oldestAt } of await countWaiting(db))
    stdout(
      `\n${waiting} ${waiting === 1 ? 'lead waits' : 'leads wait'} for ${channel}, the oldest since ${formatTime(oldestAt, deps)}.${describeLastError(leads, channel)}\n`,
    )
  if (!airtable) stdout('\nAirtable is not set up: see AIRTABLE_TOKEN in .env.example.\n')
  return 0
}

const listColumns = [
  { title: 'ID', minWidth: 8 },
  { title: 'Received', minWidth: 13 },
  { title: 'Name', minWidth: 8 },
  { title: 'Phone', minWidth: 14 },
  { title: 'Service', minWidth: 6 },
  { title: 'Called', minWidth: 8 },
  { title: 'Deliveries', minWidth: 12 },
  { title: 'From', minWidth: 10 },
]

/** Whether somebody has called, which is what the owner looks for first. */
function describeCall({ answeredAt, receivedAt, suspect }: LeadWithDeliveries, now: number) {
  const toMinutes = (ms: number) => Math.max(0, Math.floor(ms / 60_000))
  if (answeredAt !== null) return `${toMinutes(answeredAt - receivedAt)} min`
  if (suspect) return 'suspect'
  const leftMs = receivedAt + promiseMs - now
  return leftMs > 0 ? `${toMinutes(leftMs)} left` : 'NOT YET'
}

function describeBriefly({ channel, state, attempts }: Delivery): string {
  if (state === 'sent') return `${channel} ✓`
  return attempts === 0 ? `${channel} waits` : `${channel} waits (tried ${attempts}×)`
}

function describeLastError(leads: LeadWithDeliveries[], channel: string): string {
  const errors = leads
    .flatMap(({ deliveries }) => deliveries)
    .filter((delivery) => delivery.channel === channel && delivery.state === 'waiting')
    .flatMap(({ lastError }) => (lastError ? [lastError] : []))
  return errors[0] ? `\nLast error: ${makeSafe(errors[0])}` : ''
}

async function showLead({ json, target }: Command, deps: Deps): Promise<number> {
  const lead = await findOne(target, deps.db)
  if (json) deps.stdout(`${makeSafeJson(toJson(lead))}\n`)
  else deps.stdout(describeLead(lead, deps))
  return 0
}

function describeLead(lead: LeadWithDeliveries, deps: Deps): string {
  const lines = [
    ['Lead ID', lead.id],
    ['Received', formatTime(lead.receivedAt, deps)],
    ['Name', lead.name],
    ['Phone', lead.phone],
    ['Email', lead.email],
    ['Address', lead.address],
    ['Service', labelOf(lead) || '(not said)'],
    ['From', describeSourceInFull(lead.source)],
    ...(lead.suspect ? [['Suspect', explainSuspicion(lead.suspect)]] : []),
    ...(lead.consent ? [['Consent', `version ${lead.consent}`]] : []),
    ['Answered', describeAnswer(lead, deps)],
    ...lead.deliveries.flatMap((delivery) => describeDelivery(delivery, deps)),
  ]
  const width = Math.max(...lines.map(([what = '']) => what.length)) + 2
  return lines.map(([what = '', text = '']) => `${what.padEnd(width)}${makeSafe(text)}\n`).join('')
}

/** The name, and in brackets what the visitor's link and browser said. */
function describeSourceInFull(source: string | null) {
  const said = [...new URLSearchParams(source ?? '')].map(([part, value]) => `${part} ${value}`)
  return describeSource(source) + (said.length > 0 ? ` (${said.join(', ')})` : '')
}

const explainSuspicion = (suspect: string) =>
  ({
    trap: 'perhaps a robot: it filled in a field that people do not see',
    haste: 'perhaps a robot: sent within a second of opening the page',
  })[suspect] ?? suspect

function describeAnswer({ receivedAt, answeredAt, answeredBy }: LeadWithDeliveries, deps: Deps) {
  if (answeredAt === null) return 'not yet'
  const where = answeredBy === 'airtable' ? ', in Airtable' : ''
  return `${formatTime(answeredAt, deps)}, after ${formatDuration(answeredAt - receivedAt)}${where}`
}

function describeDelivery(delivery: Delivery, deps: Deps): string[][] {
  const { channel, occasion, state, attempts, settledAt, nextAttemptAt, lastError, note } = delivery
  const tried = `tried ${attempts} ${attempts === 1 ? 'time' : 'times'}`
  const about = {
    received: '',
    answered: 'the answer, ',
    missed: 'promise missed, ',
    unanswered: `reminder after ${occasion.split('-')[1]} min, `,
  }[occasion.replace(/-.*/, '') as 'received' | 'answered' | 'missed' | 'unanswered']
  const states = {
    sent: () => `sent ${formatTime(settledAt ?? 0, deps)} (${tried})`,
    waiting: () => `waits (${tried}), next try ${formatTime(nextAttemptAt, deps)}`,
    cancelled: () => 'not sent',
  }
  const receiver = deps.receivers?.get(channel)
  return [
    [receiver ? `${channel} (now ${receiver})` : channel, about + states[state]()],
    ...(note ? [['', note]] : []),
    ...(lastError
      ? [['', `${state === 'sent' ? 'Earlier error' : 'Last error'}: ${lastError}`]]
      : []),
  ]
}

async function exportLeads(
  { json, target, force }: Command,
  { db, stdout }: Deps,
): Promise<number> {
  const taken = await stat(target).catch(() => undefined)
  if (taken?.isDirectory()) throw new Failure(`${target} is a folder. Name a file.`)
  if (taken && !force) throw new Failure(`${target} is there already. --force replaces it.`)

  // Beside the target and renamed at the end: a full disk leaves no half of an export behind. Only
  // the owner may read it.
  const part = `${target}.part`
  const file = createWriteStream(part, { mode: 0o600 })
  const written = finished(file)
  written.catch(() => {})
  let count = 0
  try {
    file.write(byteOrderMark + formatCsvLine(csvColumns))
    let before: LeadWithDeliveries | undefined
    do {
      const page = await listLeads(db, { limit: 500, before })
      for (const lead of page) file.write(formatCsvLine(toCsvCells(lead)))
      count += page.length
      before = page.at(-1)
      if (file.errored) break
    } while (before)
    file.end()
    await written
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw new Failure(`${target} could not be written: ${(error as Error).message}.`)
  }
  stdout(
    json
      ? `${makeSafeJson({ file: target, leads: count })}\n`
      : `${count} ${count === 1 ? 'lead' : 'leads'} written to ${makeSafe(target)}.\n`,
  )
  return 0
}

const csvColumns = [
  'Lead ID',
  'Received At',
  'Name',
  'Email',
  'Phone',
  'Address',
  'Service',
  'Source',
  'Campaign Details',
  'Suspect',
  'Consent',
  'Answered At',
  'Deliveries',
]
const toCsvCells = (lead: LeadWithDeliveries) => [
  lead.id,
  new Date(lead.receivedAt).toISOString(),
  lead.name,
  lead.email,
  lead.phone,
  lead.address,
  labelOf(lead),
  lead.source === null ? '' : describeSource(lead.source),
  lead.source ?? '',
  lead.suspect ?? '',
  lead.consent ?? '',
  toIso(lead.answeredAt) ?? '',
  lead.deliveries
    .filter(({ occasion }) => occasion === 'received')
    .map(({ channel, state }) => `${channel} ${state}`)
    .join('; '),
]

async function showPromise(command: Command, deps: Deps): Promise<number> {
  const { db, stdout, now, width } = deps
  const { html } = command
  const timeZone = deps.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const period = findPeriod(command, timeZone, now())
  const promises = await listPromises(db, period)
  const report = computeReport(promises, await listHandOvers(db, period), {
    ...period,
    // "Up to a day" begins with the first lead there was.
    from: period.from || (promises[0]?.receivedAt ?? period.to),
    now: now(),
    timeZone,
  })
  if (html !== undefined) await writeReport(html, formatReportHtml(report), command.force)
  if (command.json) stdout(`${makeSafeJson(toReportJson(report))}\n`)
  else {
    stdout(formatReport(report, width))
    if (html !== undefined) stdout(`\nThe same with charts: ${makeSafe(html)}\n`)
  }
  return 0
}

const dayMs = 86_400_000

function findPeriod({ days, from, to }: Command, timeZone: string, now: number) {
  if (from === undefined && to === undefined) return { from: now - days * dayMs, to: now }
  const findDay = (option: string, day: string) => {
    const at = findMidnight(day, timeZone)
    if (at === undefined)
      throw new UsageError(`${option} takes a day such as 2026-11-01, not "${day}"`)
    return at
  }
  const fromAt = from === undefined ? 0 : findDay('--from', from)
  const lastAt = to === undefined ? undefined : findDay('--to', to)
  // The day itself counts: to the next midnight, which a change of the clocks may move by an hour.
  const toAt =
    lastAt === undefined
      ? now
      : findDay('--to', new Date(Date.parse(`${to}T00:00:00Z`) + dayMs).toISOString().slice(0, 10))
  if (toAt <= fromAt) throw new UsageError('--to lies before --from')
  return { from: fromAt, to: toAt }
}

async function writeReport(file: string, page: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, page, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Failure(`${file} is there already. --force replaces it.`)
    throw new Failure(`${file} could not be written: ${message}.`)
  }
}

const toReportJson = ({ from, to, ...report }: PromiseReport) => ({
  from: toIso(from),
  to: toIso(to),
  ...report,
})

async function retryLeads({ json, target }: Command, deps: Deps): Promise<number> {
  const { db, stdout, now, airtable } = deps
  const lead = target === 'all' ? undefined : await findOne(target, db)
  // A webhook that wanted no more is asked again: the owner says so.
  await removeSetting(db, stoppedWebhook)
  const due = await retryDeliveries(db, lead?.id ?? 'all', now())
  if (json) stdout(`${makeSafeJson({ due })}\n`)
  else if (due === 0) stdout(lead ? 'Nothing of this lead waits.\n' : 'Nothing waits.\n')
  else {
    stdout(`${due} ${due === 1 ? 'delivery is' : 'deliveries are'} due now. The running site `)
    stdout('sends within seconds, unless a channel must rest after a refusal.\n')
    if (!airtable) stdout('What goes to Airtable waits on: AIRTABLE_TOKEN and AIRTABLE_BASE_ID.\n')
  }
  return 0
}

async function eraseOneLead(command: Command, deps: Deps): Promise<number> {
  const { db, stdout, ask } = deps
  const lead = await findOne(command.target, db)
  if (!command.yes) {
    if (!ask)
      throw new UsageError('Erasing asks first, and nobody is at a terminal here. Add --yes')
    stdout(describeLead(lead, deps))
    const answer = await ask('\nErase this lead for good? Type yes: ')
    if (answer.trim().toLowerCase() !== 'yes') {
      stdout('Nothing was erased.\n')
      return 1
    }
  }
  const rows = await eraseEverywhere(lead, command, deps)
  if (command.json) {
    stdout(`${makeSafeJson({ erased: lead.id, airtableRows: rows ?? null })}\n`)
    return 0
  }
  stdout(`Erased here: lead ${lead.id}.\n`)
  if (rows !== undefined && rows > 0)
    stdout(
      `Erased in Airtable: ${rows} ${rows === 1 ? 'row' : 'rows'}. Airtable keeps deleted rows in the base's trash for some days: empty it too.\n`,
    )
  if (rows === undefined && hasGoneOut(lead, airtableChannel))
    stdout(`Not erased in Airtable: delete the row with this Lead ID there by hand.\n`)
  const told = lead.deliveries.filter(
    ({ channel }) => channel !== airtableChannel && hasGoneOut(lead, channel),
  )
  if (told.length > 0)
    stdout(
      `Alerts cannot be called back: ${[...new Set(told.map(({ channel }) => channel))].join(', ')}.\n`,
    )
  return 0
}

const airtableChannel = 'airtable'
const hasGoneOut = ({ deliveries }: LeadWithDeliveries, channel: string) =>
  deliveries.some((delivery) => delivery.channel === channel && delivery.attempts > 0)

/** Airtable first: once the lead is gone here, nobody knows any more which row is its. */
async function eraseEverywhere(
  lead: LeadWithDeliveries,
  { storeOnly }: Command,
  { db, airtable, fetch, pause, now }: Deps,
): Promise<number | undefined> {
  // Whoever holds the channel is the only sender: no row can arrive behind our back.
  const holder = crypto.randomUUID()
  const untilAt = now() + waitForChannelMs
  while (
    !(await acquireChannel(db, airtableChannel, { holder, now: now(), until: now() + 60_000 }))
  ) {
    if (now() >= untilAt)
      throw new Failure(
        'Nothing was erased: the site is busy sending to Airtable, or has to rest after a refusal. Try again in a few minutes.',
      )
    await pause(500)
  }
  let holdMs = 0
  try {
    let rows: number | undefined
    // Tried but not known to have arrived counts too: the answer may have been lost.
    const [current] = await findLeadsByPrefix(db, lead.id, 1)
    if (current && hasGoneOut(current, airtableChannel) && !storeOnly) {
      if (!airtable)
        throw new Failure(
          'Nothing was erased: the lead may be in Airtable, and AIRTABLE_TOKEN and AIRTABLE_BASE_ID are not set. Set them, or erase it here only with --store-only.',
        )
      const erased = await eraseFromAirtable(lead.id, airtable, { fetch, pause })
      if (!erased.ok) {
        holdMs = erased.holdMs
        throw new Failure(
          `Nothing was erased here; Airtable could not do it: ${erased.error} Run it again when Airtable works, or erase it here only with --store-only.`,
        )
      }
      rows = erased.rows
    }
    await eraseLead(db, lead.id)
    return rows
  } finally {
    await releaseChannel(db, airtableChannel, holder, now() + holdMs)
  }
}

// A batch may take 45 s at worst; most take one.
const waitForChannelMs = 60_000

async function setUp({ json }: Command, deps: Deps): Promise<number> {
  const { db, airtable, fetch, pause, stdout } = deps
  if (!airtable)
    throw new Failure(
      'Set AIRTABLE_TOKEN (from https://airtable.com/create/tokens, with the scopes data.records:read, data.records:write, schema.bases:read, schema.bases:write and access to your base) and AIRTABLE_BASE_ID (the part of the base’s address that begins with "app") in .env, then run this again.',
    )
  const { done, todo } = await setUpAirtable(airtable, { fetch, pause })
  const ready = todo.length === 0
  if (json) {
    stdout(`${makeSafeJson({ ready, done, todo })}\n`)
    return ready ? 0 : 1
  }
  for (const line of done) stdout(`✓ ${makeSafe(line)}\n`)
  for (const line of todo) stdout(`✗ ${makeSafe(line)}\n`)
  const waiting = (await countWaiting(db)).find(({ channel }) => channel === airtableChannel)
  if (ready && waiting)
    stdout(`Ready. ${waiting.waiting} wait for Airtable: npm run leads -- retry all\n`)
  else stdout(ready ? 'Ready.\n' : 'Do this, then run it again.\n')
  return ready ? 0 : 1
}

async function findOne(prefix: string, db: Database): Promise<LeadWithDeliveries> {
  const found = await findLeadsByPrefix(db, prefix.toLowerCase(), 5)
  const exact = found.find(({ id }) => id === prefix.toLowerCase())
  const [first, second] = found
  if (exact) return exact
  if (!first) throw new Failure(`There is no lead whose ID begins with "${prefix}".`)
  if (second)
    throw new Failure(
      `Several leads begin with "${prefix}": ${found.map(({ id }) => id).join(', ')}. Give more of the ID.`,
    )
  return first
}

const labelOf = ({ serviceType }: LeadWithDeliveries) =>
  serviceType ? serviceTypes[serviceType] : ''

function formatTime(at: number, { timeZone }: Pick<LeadsDeps, 'timeZone'>): string {
  // Sweden writes 2026-11-15 12:00, which everybody reads and which sorts.
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    ...(timeZone && { timeZone }),
  }).format(at)
}

/** For the table, where every column counts: the year only when it is another. */
function formatShortTime(at: number, deps: Pick<LeadsDeps, 'timeZone' | 'now'>): string {
  const full = formatTime(at, deps)
  if (full.slice(0, 4) !== formatTime(deps.now(), deps).slice(0, 4)) return full
  return new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(deps.timeZone && { timeZone: deps.timeZone }),
  }).format(at)
}

const toIso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

const toJson = ({ deliveries, receivedAt, answeredAt, source, ...lead }: LeadWithDeliveries) => ({
  ...lead,
  source: explainSource(source),
  receivedAt: toIso(receivedAt),
  answeredAt: toIso(answeredAt),
  deliveries: deliveries.map(({ nextAttemptAt, createdAt, settledAt, ...delivery }) => ({
    ...delivery,
    createdAt: toIso(createdAt),
    nextAttemptAt: delivery.state === 'waiting' ? toIso(nextAttemptAt) : null,
    settledAt: toIso(settledAt),
  })),
})

async function askAtTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

if (import.meta.main) {
  // `npm run leads | head` closes the pipe early; that is no error.
  process.stdout.on('error', () => process.exit(0))
  const atTerminal = process.stdin.isTTY && process.stdout.isTTY
  process.exitCode = await runLeads(process.argv.slice(2), {
    open: async () => {
      const env = readEnv(process.env)
      const { airtable, timeZone } = env
      return { db: await openDatabase(env), airtable, receivers: listReceivers(env), timeZone }
    },
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    ask: atTerminal ? askAtTerminal : undefined,
    fetch,
    pause,
    now: Date.now,
  })
}
