import * as v from 'valibot'
import type { StoredLead } from '../../lead.ts'
import {
  type AirtableDeps,
  type AirtableRequest,
  type AirtableSettings,
  connect,
  type Failure,
  type Refusal,
  type Reply,
} from './client.ts'
import type { Cells, ColumnName } from './columns.ts'

const rowSchema = v.object({ id: v.string(), fields: v.record(v.string(), v.unknown()) })
const rowsSchema = v.object({ records: v.array(rowSchema) })
export type Row = v.InferOutput<typeof rowSchema>

export type Table = { path: string; request: AirtableRequest }

export const openTable = (settings: AirtableSettings, deps: AirtableDeps): Table => ({
  path: `${encodeURIComponent(settings.baseId)}/${encodeURIComponent(settings.table)}`,
  request: connect(settings, deps),
})

function readRows(reply: Reply): Row[] | Failure {
  if (reply.kind === 'failed') return reply
  if (reply.kind === 'refused')
    return { kind: 'failed', error: `Airtable couldn’t search for the lead (422 ${reply.type}).` }
  const parsed = v.safeParse(rowsSchema, reply.body)
  if (parsed.success) return parsed.output.records
  return { kind: 'failed', error: 'Airtable returned an unexpected response.' }
}

export async function listRows(
  leadIds: readonly string[],
  { path, request }: Table,
): Promise<Row[] | Failure> {
  // Lead IDs contain only letters, digits, and hyphens, so they need no escaping.
  const formula = `OR(${leadIds.map((id) => `{Lead ID}='${id}'`).join(',')})`
  const query = new URLSearchParams({ filterByFormula: formula })
  return readRows(await request('GET', `${path}?${query}`))
}

/** Without `rowId`, the row with the lead's ID is updated or created. */
export type RowWrite = { lead: StoredLead; rowId?: string; cells: Cells }

type Written = { lead: StoredLead; result: Row | Refusal | Failure }

/** Writes up to ten rows. After a 422, omits a column or sends each lead separately. */
export async function writeRows(
  writes: readonly RowWrite[],
  { path, request }: Table,
  // Off at first, because typecast silently clears values that do not fit, such as text in a number column.
  typecast = false,
): Promise<Written[]> {
  const [first] = writes
  if (!first) return []
  const reply = await request('PATCH', path, {
    ...(!first.rowId && { performUpsert: { fieldsToMergeOn: ['Lead ID'] } }),
    typecast,
    records: writes.map(({ rowId, cells }) => ({ ...(rowId && { id: rowId }), fields: cells })),
  })
  if (reply.kind === 'failed') return writes.map(({ lead }) => ({ lead, result: reply }))
  if (reply.kind === 'ok') {
    const rows = readRows(reply)
    return writes.map(({ lead, rowId }) => {
      const isOwn = ({ id, fields }: Row) => (rowId ? id === rowId : fields['Lead ID'] === lead.id)
      return { lead, result: 'kind' in rows ? rows : (rows.find(isOwn) ?? notInResponse) }
    })
  }

  const again = (some: readonly RowWrite[]) => writeRows(some, { path, request }, typecast)
  const isChoice = reply.type === 'INVALID_MULTIPLE_CHOICE_OPTIONS'
  // Typecast adds the missing choice to the column.
  if (isChoice && !typecast) return writeRows(writes, { path, request }, true)
  const column = isChoice ? 'Service' : reply.column
  const refused = writes.map(({ lead }) => ({ lead, result: reply }))
  if (column === 'Lead ID') return refused
  const isOnly = ({ cells }: RowWrite) => Object.keys(cells).every((name) => name === column)
  // The column is missing for all leads, so sending them one by one would not help.
  if (reply.type === 'UNKNOWN_FIELD_NAME' && writes.every(isOnly)) return refused
  const canOmit = (write: RowWrite) => column && column in write.cells && !isOnly(write)
  if (reply.type === 'UNKNOWN_FIELD_NAME' && writes.every(canOmit))
    return again(writes.map((write) => omit(write, column)))
  if (writes.length === 1) return canOmit(first) ? again([omit(first, column)]) : refused
  const written: Written[] = []
  for (const write of writes) written.push(...(await again([write])))
  return written
}

const notInResponse: Failure = {
  kind: 'failed',
  error: 'Airtable returned 200, but the response doesn’t contain the lead.',
}

function omit(write: RowWrite, column: ColumnName | undefined): RowWrite {
  const cells = { ...write.cells }
  if (column) delete cells[column]
  return { ...write, cells }
}

/** Deletes every row of a lead; succeeds if there is none. */
export async function eraseRows(leadId: string, table: Table): Promise<{ rows: number } | Failure> {
  const found = await listRows([leadId], table)
  if ('kind' in found) return found
  for (let start = 0; start < found.length; start += 10) {
    const some = found.slice(start, start + 10)
    const query = new URLSearchParams(some.map(({ id }) => ['records[]', id]))
    const reply = await table.request('DELETE', `${table.path}?${query}`)
    if (reply.kind === 'failed') return reply
    if (reply.kind === 'refused')
      return { kind: 'failed', error: `Airtable didn’t delete the row (422 ${reply.type}).` }
  }
  return { rows: found.length }
}
