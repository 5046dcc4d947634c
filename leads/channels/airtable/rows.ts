import * as v from 'valibot'
import type { StoredLead } from '../../lead.ts'
import {
  type AirtableDeps,
  type AirtableRequest,
  type AirtableSettings,
  connect,
  type Failure,
  type Ok,
  type RefusedRequest,
  type Reply,
  unknownChoice,
} from './client.ts'
import type { Cells, ColumnName } from './columns.ts'

const rowSchema = v.object({ id: v.string(), fields: v.record(v.string(), v.unknown()) })
const rowsSchema = v.object({ records: v.array(rowSchema) })
export type Row = v.InferOutput<typeof rowSchema>

export type LeadTable = { path: string; request: AirtableRequest }

export const openTable = (settings: AirtableSettings, deps: AirtableDeps): LeadTable => ({
  path: `${encodeURIComponent(settings.baseId)}/${encodeURIComponent(settings.table)}`,
  request: connect(settings, deps),
})

function readRows(reply: Ok | Failure): Ok<Row[]> | Failure {
  if (reply.kind === 'failed') return reply
  const parsed = v.safeParse(rowsSchema, reply.body)
  if (parsed.success) return { kind: 'ok', body: parsed.output.records }
  return { kind: 'failed', error: 'Airtable returned an unexpected response.' }
}

export async function listRows(
  leadIds: readonly string[],
  { path, request }: LeadTable,
): Promise<Ok<Row[]> | Failure> {
  // Lead IDs contain only letters, digits, and hyphens, so they need no escaping.
  const formula = `OR(${leadIds.map((id) => `{Lead ID}='${id}'`).join(',')})`
  const query = new URLSearchParams({ filterByFormula: formula })
  const reply = await request('GET', `${path}?${query}`)
  if (reply.kind !== 'refused') return readRows(reply)
  return { kind: 'failed', error: `Airtable couldn’t search for the lead (422 ${reply.type}).` }
}

/** Without `rowId`, the row with the lead's ID is updated or created. */
export type RowWrite = { lead: StoredLead; rowId?: string; cells: Cells }

type Batch = { writes: readonly RowWrite[]; typecast: boolean }

/**
 * Writes up to ten rows. After a 422, retries in the ways that may help: with typecast, with each lead separately,
 * without the columns that may be the cause, and finally with only Lead ID and Raw.
 */
export async function writeRows(
  writes: readonly RowWrite[],
  { path, request }: LeadTable,
  // Off by default, because typecast silently clears values that do not fit, such as text in a number column.
  typecast = false,
): Promise<Map<StoredLead, Reply<Row>>> {
  const written = new Map<StoredLead, Reply<Row>>()
  const batches: Batch[] = writes.length > 0 ? [{ writes, typecast }] : []
  for (const { writes, typecast } of batches) {
    const isUpsert = writes.every(({ rowId }) => !rowId)
    const reply = await request('PATCH', path, {
      ...(isUpsert && { performUpsert: { fieldsToMergeOn: ['Lead ID'] } }),
      typecast,
      records: writes.map(({ rowId, cells }) => ({ ...(rowId && { id: rowId }), fields: cells })),
    })
    const rows = reply.kind === 'refused' ? reply : readRows(reply)
    for (const write of writes)
      written.set(write.lead, rows.kind === 'ok' ? pickRow(rows.body, write) : rows)
    if (reply.kind === 'refused') batches.push(...decideRetries({ writes, typecast }, reply))
  }
  return written
}

function pickRow(rows: readonly Row[], { lead, rowId }: RowWrite): Ok<Row> | Failure {
  const row = rows.find(({ id, fields }) => (rowId ? id === rowId : fields['Lead ID'] === lead.id))
  if (row) return { kind: 'ok', body: row }
  return {
    kind: 'failed',
    error: 'Airtable returned 200, but the response doesn’t contain the lead.',
  }
}

/** Each retry has fewer leads, has fewer cells, or turns on typecast, so retries end. */
function decideRetries({ writes, typecast }: Batch, { type, columns }: RefusedRequest): Batch[] {
  // Typecast adds the missing choice to the column.
  if (type === unknownChoice && !typecast) return [{ writes, typecast: true }]
  if (columns.includes('Lead ID')) return []
  const sent = writes.flatMap(({ cells }) => Object.keys(cells) as ColumnName[])
  const canOmit = sent.some((name) => columns.includes(name))
  // A missing column is missing for every lead, so sending them one by one would not help.
  if (writes.length > 1 && !(canOmit && type === 'UNKNOWN_FIELD_NAME'))
    return writes.map((write) => ({ writes: [write], typecast }))
  const keep = (name: ColumnName) =>
    canOmit ? !columns.includes(name) : name === 'Lead ID' || name === 'Raw'
  if (sent.every(keep)) return []
  const shorter = writes
    .map((write) => ({ ...write, cells: filterCells(write.cells, keep) }))
    .filter(({ cells }) => Object.keys(cells).length > 0)
  return shorter.length > 0 ? [{ writes: shorter, typecast: typecast && canOmit }] : []
}

const filterCells = (cells: Cells, keep: (name: ColumnName) => boolean): Cells =>
  Object.fromEntries(Object.entries(cells).filter(([name]) => keep(name as ColumnName)))

/** Deletes every row of a lead and returns how many there were. */
export async function eraseRows(leadId: string, table: LeadTable): Promise<Ok<number> | Failure> {
  const found = await listRows([leadId], table)
  if (found.kind === 'failed') return found
  const rows = found.body
  for (let start = 0; start < rows.length; start += 10) {
    const some = rows.slice(start, start + 10)
    const query = new URLSearchParams(some.map(({ id }) => ['records[]', id]))
    const reply = await table.request('DELETE', `${table.path}?${query}`)
    if (reply.kind === 'failed') return reply
    if (reply.kind === 'refused')
      return { kind: 'failed', error: `Airtable didn’t delete the row (422 ${reply.type}).` }
  }
  return { kind: 'ok', body: rows.length }
}
