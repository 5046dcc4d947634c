import * as v from 'valibot'
import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import {
  type AirtableDeps,
  type AirtableSettings,
  type Ask,
  connect,
  type Failure,
  type Reply,
} from './client.ts'

const rowSchema = v.object({
  id: v.string(),
  createdTime: v.optional(v.string(), ''),
  fields: v.record(v.string(), v.unknown()),
})
const rowsSchema = v.object({ records: v.array(rowSchema) })
export type Row = v.InferOutput<typeof rowSchema>

/** One kind of work on at most ten leads. holdMs: nobody may call Airtable for that long. */
export type Turn = (
  leads: readonly StoredLead[],
  settings: AirtableSettings,
  deps: AirtableDeps,
) => Promise<{ outcomes: ({ leadId: string } & Result)[]; holdMs?: number }>

export function readRows(reply: Reply | undefined): Row[] {
  const parsed = reply?.kind === 'ok' ? v.safeParse(rowsSchema, reply.body) : undefined
  return parsed?.success ? parsed.output.records : []
}

export const tablePath = ({ baseId, table }: AirtableSettings) =>
  `${encodeURIComponent(baseId)}/${encodeURIComponent(table)}`

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
  if (!v.is(rowsSchema, reply.body))
    return { kind: 'failed', error: 'Airtable answered without rows.' }
  return { kind: 'ok', rows: readRows(reply) }
}

/** Deletes every row of a lead; none there is fine. */
export async function eraseFromAirtable(
  leadId: string,
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<{ ok: true; rows: number } | { ok: false; error: string; holdMs: number }> {
  const ask = connect(settings, deps)
  const found = await findRows([leadId], settings, ask)
  const fail = ({ error, holdMs = 0 }: Failure) => ({ ok: false as const, error, holdMs })
  if (found.kind === 'failed') return fail(found)
  const ids = found.rows.map(({ id }) => id)
  for (let start = 0; start < ids.length; start += 10) {
    const query = new URLSearchParams(ids.slice(start, start + 10).map((id) => ['records[]', id]))
    const reply = await ask('DELETE', `${tablePath(settings)}?${query}`)
    if (reply.kind === 'failed') return fail(reply)
    if (reply.kind === 'refused') {
      const error = `Airtable will not delete the row (422 ${reply.type}).`
      return { ok: false, error, holdMs: 0 }
    }
  }
  return { ok: true, rows: ids.length }
}
