import * as v from 'valibot'
import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import { serviceTypes } from '../lead.ts'
import { explainSource } from '../source.ts'

export type AirtableSettings = { token: string; baseId: string; table: string; apiUrl: string }

export type AirtableDeps = {
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  /** Ends the calls early, when the claim on the leads is lost or the process stops. */
  signal?: AbortSignal
  requestTimeoutMs?: number
}

// Airtable allows 5 requests a second per base; 4 leave room for the owner's own tools.
const betweenRequestsMs = 250
const defaultRequestTimeoutMs = 20_000
// Other batches wait for this one, and a visitor's promise is ten minutes: a slow Airtable may not
// spin out ten leads sent singly for longer.
const wholeBatchTimeoutMs = 45_000
// Airtable locks the base for 30 s after a 429; anything shorter only prolongs it.
const lockOutMs = 32_000
// Only the owner or the first of the month ends this; each try would be one more refused call.
const quotaHoldMs = 15 * 60_000

const textTypes = ['singleLineText', 'multilineText', 'richText', 'email', 'phoneNumber', 'url']

type Column = {
  /** What setup makes of a missing column, in the words of Airtable's meta API. */
  type: string
  options?: object
  /** The types that take our values as they are. */
  accepts: readonly string[]
}

const dateTime = {
  type: 'dateTime',
  options: {
    dateFormat: { name: 'iso' },
    timeFormat: { name: '24hour' },
    timeZone: 'client',
  },
  accepts: [...textTypes, 'dateTime', 'date'],
} as const

export const columns = {
  // Airtable merges on text, number, select and date; only text can hold our ids.
  'Lead ID': { type: 'singleLineText', accepts: ['singleLineText', 'multilineText'] },
  Name: { type: 'singleLineText', accepts: textTypes },
  Email: { type: 'email', accepts: textTypes },
  Phone: { type: 'phoneNumber', accepts: textTypes },
  Address: { type: 'singleLineText', accepts: textTypes },
  Service: {
    type: 'singleSelect',
    options: { choices: Object.values(serviceTypes).map((name) => ({ name })) },
    accepts: [...textTypes, 'singleSelect'],
  },
  'Received At': dateTime,
  Source: { type: 'singleLineText', accepts: textTypes },
  Status: {
    type: 'singleSelect',
    options: {
      choices: [{ name: 'New' }, { name: 'Suspect' }, { name: 'Called' }, { name: 'Done' }],
    },
    accepts: [...textTypes, 'singleSelect'],
  },
  'Answered At': dateTime,
  Raw: { type: 'multilineText', accepts: textTypes },
} as const satisfies Record<string, Column>

export type ColumnName = keyof typeof columns
export const columnNames = Object.keys(columns) as ColumnName[]
const isColumn = (name: string | undefined): name is ColumnName =>
  columnNames.some((column) => column === name)

type Cells = Partial<Record<ColumnName, string>>

/**
 * Status is not here: the sender may come again after staff have set it, and an upsert overwrites.
 * Raw is always here: whatever someone does to the other columns, the row holds the whole lead.
 */
function makeCells(lead: StoredLead): Cells {
  const { id, name, email, phone, address, serviceType, suspect, consent } = lead
  const receivedAt = new Date(lead.receivedAt).toISOString()
  const source = explainSource(lead.source)
  return {
    'Lead ID': id,
    Name: name,
    Email: email,
    Phone: phone,
    Address: address,
    ...(serviceType && { Service: serviceTypes[serviceType] }),
    'Received At': receivedAt,
    ...(source && { Source: source.name }),
    Raw: JSON.stringify(
      { id, receivedAt, name, email, phone, address, serviceType, suspect, consent, source },
      null,
      2,
    ),
  }
}

const rowSchema = v.object({
  id: v.string(),
  createdTime: v.optional(v.string(), ''),
  fields: v.record(v.string(), v.unknown()),
})
const rowsSchema = v.object({ records: v.array(rowSchema) })
export type Row = v.InferOutput<typeof rowSchema>

export type Reply =
  | { kind: 'ok'; body: unknown }
  /** 422: Airtable is well and dislikes what we sent. */
  | { kind: 'refused'; type: string; column?: ColumnName }
  /** Nothing else can succeed now either. */
  | { kind: 'failed'; status?: number; error: string; holdMs?: number }
export type Failure = Extract<Reply, { kind: 'failed' }>

export const runSetup = 'Run: npm run leads -- setup-airtable'
export const tokenPage = 'https://airtable.com/create/tokens'

const advice: Record<number, string> = {
  401: `Airtable does not know the token. Make one at ${tokenPage} and set AIRTABLE_TOKEN.`,
  403: `The token may not do this, or base or table do not exist. Check at ${tokenPage} that the token has data.records:read and data.records:write and access to the base, and check AIRTABLE_BASE_ID and AIRTABLE_TABLE.`,
  404: 'Airtable finds no such base or table. Check AIRTABLE_BASE_ID and AIRTABLE_TABLE.',
}

// Airtable's messages can quote a lead's own words, so of an error only its type and the name of one
// of our columns are kept.
const errorSchema = v.object({
  error: v.union([v.string(), v.object({ type: v.string(), message: v.optional(v.string(), '') })]),
})
function readError(body: unknown): { type: string; column?: ColumnName } {
  const parsed = v.safeParse(errorSchema, body)
  if (!parsed.success) return { type: '' }
  const { error } = parsed.output
  const { type, message } = typeof error === 'string' ? { type: error, message: '' } : error
  const column = message.match(/"([^"]+)"/)?.[1]
  return {
    type: /^[A-Z_]{3,60}$/.test(type) ? type : '',
    // This message quotes the cell's value, not its column.
    ...(type !== 'INVALID_MULTIPLE_CHOICE_OPTIONS' && isColumn(column) && { column }),
  }
}

export type Ask = (method: string, path: string, body?: object) => Promise<Reply>

export function connect(
  { token, apiUrl }: AirtableSettings,
  { fetch, pause, signal, requestTimeoutMs = defaultRequestTimeoutMs }: AirtableDeps,
): Ask {
  const wholeBatch = AbortSignal.any([
    AbortSignal.timeout(wholeBatchTimeoutMs),
    ...(signal ? [signal] : []),
  ])

  return async (method, path, body) => {
    await pause(betweenRequestsMs)
    let response: Response
    let text: string
    try {
      response = await fetch(`${apiUrl.replace(/\/+$/, '')}/v0/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.any([wholeBatch, AbortSignal.timeout(requestTimeoutMs)]),
      })
      text = await response.text()
    } catch (error) {
      return { kind: 'failed', error: describeBrokenCall(error) }
    }
    return readReply(response, text)
  }
}

function describeBrokenCall(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError' || name === 'AbortError') return 'Airtable did not answer in time.'
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return `Airtable could not be reached, or its answer was cut off${code}.`
}

function readReply(response: Response, text: string): Reply {
  const { status } = response
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    if (response.ok)
      return { kind: 'failed', status, error: `Airtable answered ${status} without JSON.` }
  }
  if (response.ok) return { kind: 'ok', body }

  const { type, column } = readError(body)
  const named = type ? `${status} ${type}` : `${status}`
  if (status === 422) return { kind: 'refused', type, ...(column && { column }) }
  if (status === 429 && type === 'PUBLIC_API_BILLING_LIMIT_EXCEEDED')
    return {
      kind: 'failed',
      status,
      error:
        "This month's Airtable calls are used up. Leads are kept and go out once the plan is raised or the month is over.",
      holdMs: quotaHoldMs,
    }
  if (status === 429) {
    const retryAfterMs = Number(response.headers.get('retry-after')) * 1000 || 0
    return {
      kind: 'failed',
      status,
      error: 'Airtable asks to slow down (429).',
      holdMs: Math.max(lockOutMs, retryAfterMs),
    }
  }
  const meaning = advice[status]
  return {
    kind: 'failed',
    status,
    error: meaning ? `${meaning} (${named})` : `Airtable answered ${named}.`,
  }
}

export const tablePath = ({ baseId, table }: AirtableSettings) =>
  `${encodeURIComponent(baseId)}/${encodeURIComponent(table)}`

export function readRows(reply: Reply): Row[] {
  const parsed = reply.kind === 'ok' ? v.safeParse(rowsSchema, reply.body) : undefined
  return parsed?.success ? parsed.output.records : []
}

const leaveOut = (cells: Cells, leftOut: ReadonlySet<ColumnName>): Cells =>
  Object.fromEntries(Object.entries(cells).filter(([name]) => !leftOut.has(name as ColumnName)))

export type RowOutcome = { leadId: string } & Result

type Sent =
  | { kind: 'row'; lead: StoredLead; row: Row; note?: string }
  | { kind: 'not sent'; lead: StoredLead; error: string; refused: boolean }

/** Sends at most ten leads. One row each, however often it is called with the same ones. */
export async function sendToAirtable(
  leads: readonly StoredLead[],
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<{ outcomes: RowOutcome[]; holdMs?: number }> {
  const ask = connect(settings, deps)
  const path = tablePath(settings)
  // Once a call has failed, the rest of the batch waits for the next attempt.
  let failure: Failure | undefined

  const outcomes = await markUnmarked(await sendTogether(leads, [], false))
  return { outcomes, ...(failure?.holdMs && { holdMs: failure.holdMs }) }

  async function write(body: object): Promise<Reply> {
    const reply = failure ?? (await ask('PATCH', path, body))
    if (reply.kind === 'failed') failure = reply
    return reply
  }

  async function sendTogether(
    batch: readonly StoredLead[],
    leftOut: readonly ColumnName[],
    typecast: boolean,
  ): Promise<Sent[]> {
    const giveUp = (error: string, refused = false) =>
      batch.map((lead) => notSent(lead, error, refused))

    const reply = await write({
      performUpsert: { fieldsToMergeOn: ['Lead ID'] },
      typecast,
      records: batch.map((lead) => ({ fields: leaveOut(makeCells(lead), new Set(leftOut)) })),
    })
    if (reply.kind === 'failed') return giveUp(reply.error)
    if (reply.kind === 'ok') {
      const rows = readRows(reply)
      return batch.map((lead): Sent => {
        const row = rows.find(({ fields }) => fields['Lead ID'] === lead.id)
        return row
          ? { kind: 'row', lead, row }
          : notSent(lead, 'Airtable said yes, but the lead is not in its answer.')
      })
    }

    const { type, column } = reply
    if (column === 'Lead ID')
      return giveUp(`The Airtable table has no text column "Lead ID". ${runSetup}`)
    // Off at first: typecast empties what does not fit (a phone number in a number column) without a
    // word. On when an option is missing, because it adds the option, once for all later leads.
    const isChoice = type === 'INVALID_MULTIPLE_CHOICE_OPTIONS'
    if (isChoice && !typecast) return sendTogether(batch, leftOut, true)
    // A missing column is missing for every lead: no need to send them singly.
    if (type === 'UNKNOWN_FIELD_NAME' && column && !leftOut.includes(column))
      return sendTogether(batch, [...leftOut, column], typecast)

    const [lead] = batch
    if (!lead || batch.length > 1) {
      const singly: Sent[] = []
      for (const one of batch) singly.push(...(await sendTogether([one], leftOut, typecast)))
      return singly
    }
    const refused = isChoice ? 'Service' : column
    if (refused && !leftOut.includes(refused))
      return sendTogether([lead], [...leftOut, refused], typecast)

    // No column is to blame. Several rows with this Lead ID would explain it.
    const found = await findRows([lead.id], settings, ask)
    if (found.kind === 'ok' && found.rows.length > 1)
      return [await updateOldest(lead, found.rows, leftOut)]
    // A token that may write but not read is no reason to hold up the rest.
    if (found.kind === 'failed' && found.status !== 403) {
      failure = found
      return giveUp(found.error)
    }
    const rest = columnNames.filter((name) => name !== 'Lead ID' && name !== 'Raw')
    if (rest.every((name) => leftOut.includes(name)))
      return giveUp(`Airtable refuses the lead (422${type && ` ${type}`}).`, true)
    return sendTogether([lead], [...new Set([...leftOut, ...rest])], false)
  }

  /** Someone copied the row. Both stay, for we cannot know what was written into which. */
  async function updateOldest(lead: StoredLead, rows: Row[], leftOut: readonly ColumnName[]) {
    const oldest = rows.toSorted((a, b) =>
      `${a.createdTime}${a.id}` < `${b.createdTime}${b.id}` ? -1 : 1,
    )[0]
    const fields = leaveOut(makeCells(lead), new Set(leftOut))
    const reply = await write({ records: [{ id: oldest?.id, fields }] })
    const [row] = readRows(reply)
    if (!row)
      return notSent(
        lead,
        reply.kind === 'failed' ? reply.error : 'Airtable has several rows with this Lead ID.',
        reply.kind !== 'failed',
      )
    const note = `Airtable has ${rows.length} rows with this Lead ID; the oldest is up to date.`
    return { kind: 'row' as const, lead, row, note }
  }

  /** Sets Status where it is empty: on new rows, and on those an earlier, broken attempt left so. */
  async function markUnmarked(all: Sent[]): Promise<RowOutcome[]> {
    const unmarked = all.flatMap((one) =>
      one.kind === 'row' && one.row.fields.Status === undefined ? [one] : [],
    )
    const reply = unmarked.length > 0 ? await write(formatNew(unmarked)) : undefined
    const marked = new Set(
      reply && readRows(reply).flatMap(({ id, fields }) => (fields.Status ? [id] : [])),
    )

    return all.map((one): RowOutcome => {
      const leadId = one.lead.id
      if (one.kind === 'not sent')
        return { leadId, ok: false, error: one.error, ...(one.refused && { refused: true }) }
      const { row } = one
      const wasUnmarked = unmarked.includes(one)
      const notTaken = (Object.keys(makeCells(one.lead)) as ColumnName[]).filter(
        (name) => row.fields[name] === undefined,
      )
      if (notTaken.length > 1 && notTaken.includes('Raw'))
        return {
          leadId,
          ok: false,
          error: `Airtable does not take ${notTaken.join(', ')}. ${runSetup}`,
        }
      if (reply?.kind === 'refused' && wasUnmarked) notTaken.push('Status')
      const note = [
        one.note,
        notTaken.length > 0 && `Airtable does not take ${notTaken.join(', ')}. ${runSetup}`,
      ]
        .filter(Boolean)
        .join(' ')
      // Staff look at what is New: a row without Status could stay unseen.
      const isUnseen = wasUnmarked && reply?.kind !== 'refused' && !marked.has(row.id)
      return { leadId, ok: true, ...(note && { note }), ...(isUnseen && { next: 'status' }) }
    })
  }
}

/** Of all cells only this one, so that typecast can do no more than add the option. */
export const formatNew = (rows: readonly { row: Row; lead: StoredLead }[]) => ({
  typecast: true,
  records: rows.map(({ row, lead }) => ({
    id: row.id,
    fields: { Status: lead.suspect ? 'Suspect' : 'New' },
  })),
})

const notSent = (lead: StoredLead, error: string, refused = false) => ({
  kind: 'not sent' as const,
  lead,
  error,
  refused,
})

/** The rows of these leads, with everything staff have written into them. */
export async function findRows(
  leadIds: readonly string[],
  settings: AirtableSettings,
  ask: Ask,
): Promise<{ kind: 'ok'; rows: Row[] } | Failure> {
  // Our ids are letters, digits and hyphens: nothing in them can end the formula's quotes.
  const formula = `OR(${leadIds.map((id) => `{Lead ID}='${id}'`).join(',')})`
  const query = new URLSearchParams({ filterByFormula: formula })
  const reply = await ask('GET', `${tablePath(settings)}?${query}`)
  if (reply.kind === 'failed') return reply
  if (reply.kind === 'refused')
    return { kind: 'failed', error: `Airtable cannot look for the lead (422 ${reply.type}).` }
  const parsed = v.safeParse(rowsSchema, reply.body)
  if (!parsed.success) return { kind: 'failed', error: 'Airtable answered without rows.' }
  return { kind: 'ok', rows: parsed.output.records }
}

/** Deletes every row of a lead; none there is fine. */
export async function eraseFromAirtable(
  leadId: string,
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<{ ok: true; rows: number } | { ok: false; error: string; holdMs: number }> {
  const ask = connect(settings, deps)
  const found = await findRows([leadId], settings, ask)
  if (found.kind === 'failed') return { ok: false, error: found.error, holdMs: found.holdMs ?? 0 }
  const ids = found.rows.map(({ id }) => id)
  for (let start = 0; start < ids.length; start += 10) {
    const query = new URLSearchParams(ids.slice(start, start + 10).map((id) => ['records[]', id]))
    const reply = await ask('DELETE', `${tablePath(settings)}?${query}`)
    if (reply.kind === 'failed') return { ok: false, error: reply.error, holdMs: reply.holdMs ?? 0 }
    if (reply.kind === 'refused')
      return {
        ok: false,
        error: `Airtable will not delete the row (422 ${reply.type}).`,
        holdMs: 0,
      }
  }
  return { ok: true, rows: ids.length }
}
