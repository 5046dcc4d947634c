import type { Context } from '../../context.ts'
import { type CorrectionReason, nameCorrection } from '../../delivery-reason.ts'
import { fieldOutputs, readField } from '../../field-outputs.ts'
import { fieldNames, type LeadField } from '../../fields.ts'
import type { StoredLead } from '../../lead.ts'
import { newState } from '../../lead-state.ts'
import { toOneLine } from '../../safe-text.ts'
import { readAmount } from '../../sale.ts'
import type { ClaimedLead } from '../../store/claims.ts'
import { findLead } from '../../store/find-leads.ts'
import type { Database } from '../../store/tables.ts'
import { askDeveloper, keepForOwner } from '../../words.ts'
import type { FailedResult, Recipient, Result } from '../channel-type.ts'
import {
  type AirtableDeps,
  type AirtableSettings,
  type Failure,
  type Ok,
  type RefusedRequest,
  runSetup,
} from './client.ts'
import {
  type Cells,
  chooseStatus,
  describeResult,
  isOwnResult,
  isOwnStatus,
  isStatusSet,
  makeCells,
  requiredColumns,
} from './columns.ts'
import {
  eraseRows,
  type LeadTable,
  listRows,
  openTable,
  type Row,
  type RowWrite,
  writeRows,
} from './rows.ts'

/** Sends up to ten deliveries. A lead gets one row, even after retries. */
export async function sendToAirtable(
  deliveries: readonly ClaimedLead[],
  _: Recipient,
  { settings, db, fetch, pause, timers }: Context & { settings: AirtableSettings },
  signal: AbortSignal,
): Promise<Result[]> {
  const table = openBatch(settings, { fetch, pause, timers, signal })
  const results = new Map<ClaimedLead, Result>()
  for (const reason of Object.keys(senders) as (keyof typeof senders)[]) {
    const due: ClaimedLead[] = []
    for (const delivery of deliveries.filter((one) => one.reason === reason))
      if (reason === 'received' || (await hasRow(db, delivery.lead))) due.push(delivery)
    const leads = due.map(({ lead }) => lead)
    const sent = leads.length > 0 ? await senders[reason](leads, table) : []
    for (const [at, delivery] of due.entries()) results.set(delivery, sent[at] ?? noRow)
  }
  return deliveries.map((delivery) => results.get(delivery) ?? noRow)
}

const noRow: Result = {
  ok: false,
  error: 'The lead’s row isn’t in Airtable yet.',
  refused: true,
}

async function hasRow(db: Database, { id }: StoredLead): Promise<boolean> {
  const { deliveries = [] } = (await findLead(db, id)) ?? {}
  return deliveries.some(
    ({ recipient, reason, state }) =>
      recipient === 'airtable' && reason === 'received' && state === 'sent',
  )
}

/** Opens a table whose requests stop after a failure, because more would fail, too, or extend a lockout. */
export function openBatch(settings: AirtableSettings, deps: AirtableDeps): LeadTable {
  const { path, request } = openTable(settings, deps)
  let failure: Failure | undefined
  return {
    path,
    request: async (method, ...rest) => {
      const reply = failure ?? (await request(method, ...rest))
      // If a token can write but not read, new rows must still be sent.
      if (reply.kind === 'failed' && !(method === 'GET' && isForbidden(reply))) failure = reply
      return reply
    },
  }
}

const isForbidden = ({ status }: Failure) => status === 403

const fail = ({ error, retryAfterMs }: Failure) => ({
  ok: false as const,
  error,
  ...(retryAfterMs && { retryAfterMs }),
})

/** Writes rows and fills in an empty Status so that the crew finds them. */
async function sendNew(leads: readonly StoredLead[], table: LeadTable): Promise<Result[]> {
  const written = await writeRows(
    leads.map((lead) => ({ lead, cells: makeCells(lead) })),
    table,
  )
  const statuses = [...written].flatMap(([lead, reply]): RowWrite[] =>
    reply.kind === 'ok' && reply.body.fields.Status === undefined
      ? [{ lead, rowId: reply.body.id, cells: { Status: chooseStatus({ ...lead, ...newState }) } }]
      : [],
  )
  for (const [lead, reply] of await writeRows(statuses, table, true))
    if (reply.kind !== 'refused') written.set(lead, reply)
  const results: Result[] = []
  for (const [lead, reply] of written)
    results.push(
      reply.kind === 'refused' ? await explainRefusal(lead, reply, table) : readResult(lead, reply),
    )
  return results
}

function readResult(lead: StoredLead, reply: Ok<Row> | Failure): Result {
  if (reply.kind === 'failed') return fail(reply)
  const missing = listMissing(makeCells(lead), reply)
  if (missing.length > 1 && missing.includes('Raw'))
    return { ok: false, error: describeMissing(missing) }
  return note(reply.body.fields.Status === undefined ? [...missing, 'Status'] : missing)
}

async function explainRefusal(
  { id }: StoredLead,
  refusal: RefusedRequest,
  table: LeadTable,
): Promise<Result> {
  const { type, columns } = refusal
  if (columns.includes('Lead ID'))
    return { ok: false, error: `The Airtable table has no text column "Lead ID". ${runSetup}` }
  const found = await listRows([id], table)
  if (found.kind === 'failed' && !isForbidden(found)) return fail(found)
  if (found.kind === 'ok' && found.body.length > 1)
    return { ok: true, note: describeCopies(found.body) }
  const error = `Airtable rejected the lead (422${type && ` ${type}`}).`
  return { ok: false, error, refused: true }
}

function listMissing(cells: Cells, reply: Ok<Row> | RefusedRequest): string[] {
  const stored = reply.kind === 'ok' ? reply.body.fields : {}
  // If Airtable did not accept the new Status, the row still has the old one.
  const isStored = (name: string) =>
    name === 'Status' ? stored.Status === cells.Status : name in stored
  return requiredColumns.filter((name) => cells[name] && !isStored(name))
}

const describeMissing = (columns: readonly string[]) =>
  `Airtable didn’t store ${columns.join(', ')}. ${runSetup}`

const note = (missing: readonly string[]): Result =>
  missing.length > 0 ? { ok: true, note: describeMissing(missing) } : { ok: true }

const describeCopies = ({ length }: readonly Row[]) =>
  `Airtable has ${length} rows with this Lead ID, so none of them was changed.`

/** Writes the time of the first call. Also writes Status, unless the crew has set it. */
const sendCalls = updateRows((lead, row) => ({
  'Called At': formatCalledAt(lead),
  ...(!isStatusSet(row.fields.Status) && { Status: chooseStatus(lead) }),
}))

/**
 * Adds or clears Called At, and updates Result and Amount. Also writes Status, unless the row has one that only the
 * crew uses.
 */
const sendOutcomes = updateRows((lead, { fields }) => {
  const { calledAt } = lead
  const hasCalledAt = fields['Called At'] !== undefined
  return {
    ...(isOwnStatus(fields.Status) && { Status: chooseStatus(lead) }),
    ...(hasCalledAt !== (calledAt !== null) && { 'Called At': formatCalledAt(lead) }),
    ...(describeResult(lead) !== (fields.Result ?? null) &&
      isOwnResult(fields.Result) && {
        Result: describeResult(lead),
        // If Result is empty, the owner entered the Amount, so keep it.
        ...((fields.Result || fields.Amount === undefined) && { Amount: readAmount(lead) }),
      }),
  }
})

const formatCalledAt = ({ calledAt }: StoredLead) =>
  calledAt === null ? null : new Date(calledAt).toISOString()

/** Writes one corrected field, because the crew may have edited the other cells. */
const sendCorrection = (name: LeadField) =>
  updateRows((lead) => ({ [fieldOutputs[name].label]: readField(lead, name) || null }), false)

const corrections = Object.fromEntries(
  fieldNames.map((name) => [nameCorrection(name), sendCorrection(name)]),
) as Record<CorrectionReason, ReturnType<typeof updateRows>>

function updateRows(chooseCells: (lead: StoredLead, row: Row) => Cells, typecast = true) {
  return async (leads: readonly StoredLead[], table: LeadTable): Promise<Result[]> => {
    const found = await listRows(
      leads.map(({ id }) => id),
      table,
    )
    // If the token cannot read, new rows still arrive, so this is not an outage.
    if (found.kind === 'failed')
      return leads.map(() => ({ ...fail(found), refused: isForbidden(found) }))
    const byLead = Map.groupBy(found.body, ({ fields }) => fields['Lead ID'])
    const writes = leads.flatMap((lead): RowWrite[] => {
      const [row, ...copies] = byLead.get(lead.id) ?? []
      const cells = row && copies.length === 0 ? chooseCells(lead, row) : {}
      return row && Object.keys(cells).length > 0 ? [{ lead, rowId: row.id, cells }] : []
    })
    const written = await writeRows(writes, table, typecast)
    return leads.map((lead) => {
      const rows = byLead.get(lead.id) ?? []
      if (rows.length === 0) return { ok: true, note: 'The row is no longer in Airtable.' }
      if (rows.length > 1) return { ok: true, note: describeCopies(rows) }
      const reply = written.get(lead)
      if (!reply) return { ok: true }
      if (reply.kind === 'failed') return fail(reply)
      const cells = writes.find((one) => one.lead === lead)?.cells ?? {}
      return note(listMissing(cells, reply))
    })
  }
}

export const senders = {
  received: sendNew,
  called: sendCalls,
  outcome: sendOutcomes,
  ...corrections,
}

const readTimeoutMs = 5_000

// Each lead ID takes 61 characters of the URL, which Airtable limits to 16,000.
const leadsPerRead = 50

export type SetStatus = {
  text: string
  /** False for a Status that only the crew uses. The site never overwrites such a Status. */
  isOwn: boolean
}

/**
 * Returns the Status of each lead that no longer has the Status of a new lead, and the failure that ended the read, if
 * any.
 */
export async function listSetStatuses(
  leadIds: readonly string[],
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<{ statuses: Map<string, SetStatus>; failure?: FailedResult }> {
  const table = openTable(settings, {
    ...deps,
    requestTimeoutMs: readTimeoutMs,
    signal: deps.timers.timeout(readTimeoutMs),
  })
  const statuses = new Map<string, SetStatus>()
  for (let start = 0; start < leadIds.length; start += leadsPerRead) {
    const found = await listRows(leadIds.slice(start, start + leadsPerRead), table)
    if (found.kind === 'failed') return { statuses, failure: fail(found) }
    for (const { fields } of found.body.filter((row) => isStatusSet(row.fields.Status))) {
      const text = toOneLine(String(fields.Status)).slice(0, 100)
      statuses.set(String(fields['Lead ID']), { text, isOwn: isOwnStatus(fields.Status) })
    }
  }
  return { statuses }
}

/** Returns how many of the lead's rows Airtable deleted. */
export async function eraseFromAirtable(
  leadId: string,
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<number | FailedResult> {
  const erased = await eraseRows(leadId, openTable(settings, deps))
  if (erased.kind === 'ok') return erased.body
  const next = [401, 403, 404].includes(erased.status ?? 0) ? askDeveloper : 'Try again later.'
  return { ...fail(erased), error: `${keepForOwner(erased.error)} ${next}` }
}
