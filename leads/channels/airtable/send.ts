import type { LeadStatus } from '../../history.ts'
import type { StoredLead } from '../../lead.ts'
import { toOneLine } from '../../safe-text.ts'
import type { ClaimedLead } from '../../store/claims.ts'
import { findLead } from '../../store/reading.ts'
import type { Database } from '../../store/tables.ts'
import type { Context, Recipient, Result } from '../channel-type.ts'
import {
  type AirtableDeps,
  type AirtableSettings,
  type Failure,
  type Refusal,
  runSetup,
} from './client.ts'
import { type Cells, makeCells } from './columns.ts'
import { listRows, openTable, type Row, type RowWrite, type Table, writeRows } from './rows.ts'

/** Sends up to ten deliveries. A lead gets one row, even after retries. */
export async function sendToAirtable(
  deliveries: readonly ClaimedLead[],
  _: Recipient,
  { settings, db, fetch, pause, timers }: Context<AirtableSettings>,
  signal: AbortSignal,
): Promise<Result[]> {
  const table = openBatch(settings, { fetch, pause, timers, signal })
  const results = new Map<ClaimedLead, Result>()
  for (const reason of ['received', 'called', 'outcome'] as const) {
    const due: ClaimedLead[] = []
    for (const delivery of deliveries.filter((one) => one.reason === reason))
      if (reason === 'received' || (await hasRow(db, delivery.lead))) due.push(delivery)
    const leads = due.map(({ lead }) => lead)
    const sent = leads.length > 0 ? await senders[reason](leads, table) : []
    for (const [at, delivery] of due.entries()) results.set(delivery, sent[at] ?? noRow)
  }
  return deliveries.map((delivery) => results.get(delivery) ?? noRow)
}

const noRow: Result = { ok: false, error: 'The lead’s row isn’t in Airtable yet.' }

async function hasRow(db: Database, { id }: StoredLead): Promise<boolean> {
  const { deliveries = [] } = (await findLead(db, id)) ?? {}
  return deliveries.some(
    ({ channel, reason, state }) =>
      channel === 'airtable' && reason === 'received' && state === 'sent',
  )
}

/** Stops after a failure, because more requests would only extend an outage or a lockout. */
export function openBatch(settings: AirtableSettings, deps: AirtableDeps): Table {
  const { path, request } = openTable(settings, deps)
  let failure: Failure | undefined
  return {
    path,
    request: async (method, ...rest) => {
      const reply = failure ?? (await request(method, ...rest))
      // A token that can write but not read must not stop new rows.
      if (reply.kind === 'failed' && !(method === 'GET' && isForbidden(reply))) failure = reply
      return reply
    },
  }
}

const isForbidden = ({ status }: Failure) => status === 403

const fail = ({ error, holdMs }: Failure) => ({
  ok: false as const,
  error,
  ...(holdMs && { holdMs }),
})

async function sendNew(leads: readonly StoredLead[], table: Table): Promise<Result[]> {
  const sent = await upsert(
    leads.map((lead) => ({ lead, cells: makeCells(lead) })),
    table,
  )
  const results: Result[] = []
  // Send rejected leads last, because they may use up the time.
  for (const { lead, result } of sent)
    results.push('kind' in result ? await sendRefused(lead, result, table) : result)
  return results
}

/** Writes rows and sets an empty Status to New, so that staff find them. */
async function upsert(
  writes: readonly RowWrite[],
  table: Table,
): Promise<{ lead: StoredLead; result: Result | Refusal }[]> {
  const written = await writeRows(writes, table)
  const statuses = written.flatMap(({ lead, result }): RowWrite[] =>
    'id' in result && result.fields.Status === undefined
      ? [{ lead, rowId: result.id, cells: { Status: lead.suspect ? 'Possible spam' : 'New' } }]
      : [],
  )
  const marked = await writeRows(statuses, table, true)
  return written.map(({ lead, result }) => {
    if ('kind' in result) return { lead, result: result.kind === 'failed' ? fail(result) : result }
    const mark = marked.find((one) => one.lead === lead)?.result
    if (mark && 'kind' in mark && mark.kind === 'failed') return { lead, result: fail(mark) }
    const missing = listMissing(makeCells(lead), result)
    const isComplete = missing.length < 2 || !missing.includes('Raw')
    if (!isComplete) return { lead, result: { ok: false, error: describeMissing(missing) } }
    if (mark) missing.push(...listMissing({ Status: 'New' }, mark))
    return { lead, result: note(missing) }
  })
}

async function sendRefused(lead: StoredLead, refusal: Refusal, table: Table): Promise<Result> {
  if (refusal.column === 'Lead ID') {
    const error = `The Airtable table has no text column "Lead ID". ${runSetup}`
    return { ok: false, error }
  }
  const found = await listRows([lead.id], table)
  if ('kind' in found && !isForbidden(found)) return fail(found)
  if ('length' in found && found.length > 1) return { ok: true, note: describeCopies(found) }
  const { 'Lead ID': id, Raw } = makeCells(lead)
  const [sent] = await upsert([{ lead, cells: { 'Lead ID': id, Raw } }], table)
  if (sent && !('kind' in sent.result)) return sent.result
  const error = `Airtable rejected the lead (422${refusal.type && ` ${refusal.type}`}).`
  return { ok: false, error, refused: true }
}

const listMissing = (cells: Cells, written: Row | Refusal | Failure): string[] =>
  Object.entries(cells)
    .filter(([name, cell]) => cell && !('id' in written && name in written.fields))
    .map(([name]) => name)

const describeMissing = (columns: readonly string[]) =>
  `Airtable didn’t store ${columns.join(', ')}. ${runSetup}`

const note = (missing: readonly string[]): Result =>
  missing.length > 0 ? { ok: true, note: describeMissing(missing) } : { ok: true }

const describeCopies = ({ length }: readonly Row[]) =>
  `Airtable has ${length} rows with this Lead ID, so none of them was changed.`

const initialStatuses: readonly unknown[] = [undefined, '', 'New', 'Possible spam']

const isStatusSet = ({ fields }: Row): boolean => !initialStatuses.includes(fields.Status)

const ownStatuses: readonly unknown[] = [...initialStatuses, 'Called', 'Done', 'Not a lead']

/** Returns false for a Status that only staff use. The site never overwrites such a Status. */
export const isOwnStatus = (status: unknown): boolean => ownStatuses.includes(status)

/** Writes the time of the first call, and Status unless staff have set it. */
const sendCalls = updateRows((lead, row) => ({
  'Called At': formatCalledAt(lead),
  ...(!isStatusSet(row) && { Status: 'Called' }),
}))

const statuses: Record<Exclude<LeadStatus, 'open'>, string> = {
  calling: 'Called',
  'call-again': 'Called',
  done: 'Done',
  'not-a-lead': 'Not a lead',
}

/** Writes the lead's status to Status, unless staff have chosen a different one, and adds or clears Called At. */
const sendOutcomes = updateRows((lead, { fields }) => {
  const { status, suspect, calledAt } = lead
  const open = suspect ? 'Possible spam' : 'New'
  const hasCalledAt = fields['Called At'] !== undefined
  return {
    ...(isOwnStatus(fields.Status) && { Status: status === 'open' ? open : statuses[status] }),
    ...(hasCalledAt !== (calledAt !== null) && { 'Called At': formatCalledAt(lead) }),
  }
})

const formatCalledAt = ({ calledAt }: StoredLead) =>
  calledAt === null ? null : new Date(calledAt).toISOString()

function updateRows(chooseCells: (lead: StoredLead, row: Row) => Cells) {
  return async (leads: readonly StoredLead[], table: Table): Promise<Result[]> => {
    const found = await listRows(
      leads.map(({ id }) => id),
      table,
    )
    // If the token cannot read, new rows still arrive, so this is not an outage.
    if ('kind' in found) return leads.map(() => ({ ...fail(found), refused: isForbidden(found) }))
    const byLead = Map.groupBy(found, ({ fields }) => fields['Lead ID'])
    const writes = leads.flatMap((lead): RowWrite[] => {
      const [row, ...copies] = byLead.get(lead.id) ?? []
      const cells = row && copies.length === 0 ? chooseCells(lead, row) : {}
      return row && Object.keys(cells).length > 0 ? [{ lead, rowId: row.id, cells }] : []
    })
    const written = await writeRows(writes, table, true)
    return leads.map((lead) => {
      const rows = byLead.get(lead.id) ?? []
      if (rows.length === 0) return { ok: true, note: 'The row is no longer in Airtable.' }
      if (rows.length > 1) return { ok: true, note: describeCopies(rows) }
      const result = written.find((one) => one.lead === lead)?.result
      if (!result) return { ok: true }
      if ('kind' in result && result.kind === 'failed') return fail(result)
      const cells = writes.find((one) => one.lead === lead)?.cells ?? {}
      return note(listMissing(cells, result))
    })
  }
}

export const senders = { received: sendNew, called: sendCalls, outcome: sendOutcomes }

const readTimeoutMs = 5_000

/** Returns the Status of each lead whose Status staff have set. */
export async function listSetStatuses(
  leadIds: readonly string[],
  settings: AirtableSettings,
  deps: Pick<Context<unknown>, 'fetch' | 'pause' | 'timers'>,
): Promise<Map<string, string> | Failure> {
  const table = openTable(settings, { ...deps, requestTimeoutMs: readTimeoutMs })
  const found = await listRows(leadIds, table)
  if ('kind' in found) return found
  const set = found.filter(isStatusSet)
  return new Map(
    set.map(({ fields }) => [
      String(fields['Lead ID']),
      toOneLine(String(fields.Status)).slice(0, 100),
    ]),
  )
}
