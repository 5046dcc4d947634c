import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import {
  type AirtableDeps,
  type AirtableSettings,
  connect,
  type Failure,
  type Reply,
  runSetup,
} from './client.ts'
import { findRows, type Row, readRows, tablePath } from './rows.ts'

type Turn = { outcomes: ({ leadId: string } & Result)[]; holdMs?: number }

/** What became of an empty Status. */
export type Mark = 'set' | 'refused' | 'not set'

const untouchedStatuses: readonly unknown[] = [undefined, '', 'New', 'Suspect']

/** Whether staff have given the row a Status of their own. */
export const isTouched = ({ fields }: Row): boolean => !untouchedStatuses.includes(fields.Status)

/** Sets Status where it is empty. Tells by row's id what became of it; the others are not listed. */
export async function fillStatus(
  rows: readonly { lead: StoredLead; row: Row }[],
  write: (body: object) => Promise<Reply>,
): Promise<{ marks: Map<string, Mark>; failure?: Failure }> {
  const empty = rows.filter(({ row }) => row.fields.Status === undefined)
  if (empty.length === 0) return { marks: new Map() }
  const reply = await write({
    // Of all cells only this one, so that typecast can do no more than add the option.
    typecast: true,
    records: empty.map(({ row, lead }) => ({
      id: row.id,
      fields: { Status: lead.suspect ? 'Suspect' : 'New' },
    })),
  })
  const written = readRows(reply)
  const findMark = (id: string): Mark => {
    if (reply.kind === 'refused') return 'refused'
    return written.some((row) => row.id === id && row.fields.Status) ? 'set' : 'not set'
  }
  const marks = new Map(empty.map(({ row: { id } }) => [id, findMark(id)]))
  return { marks, ...(reply.kind === 'failed' && { failure: reply }) }
}

const rowIsGone = 'The row is no longer in Airtable.'

const failAll = (leads: readonly StoredLead[], { status, error, holdMs }: Failure): Turn => ({
  // A token that may write but not read is no outage: rows still arrive.
  outcomes: leads.map(({ id }) => ({ leadId: id, ok: false, error, refused: status === 403 })),
  ...(holdMs && { holdMs }),
})

/** Sets Status in rows that were sent when Airtable had no time for it. */
export async function markNew(
  leads: readonly StoredLead[],
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<Turn> {
  const ask = connect(settings, deps)
  const found = await findRows(
    leads.map(({ id }) => id),
    settings,
    ask,
  )
  if (found.kind === 'failed') return failAll(leads, found)
  const findRow = (lead: StoredLead) =>
    found.rows.find(({ fields }) => fields['Lead ID'] === lead.id)
  const rows = leads.flatMap((lead) => {
    const row = findRow(lead)
    return row ? [{ lead, row }] : []
  })
  const { marks, failure } = await fillStatus(rows, (body) =>
    ask('PATCH', tablePath(settings), body),
  )
  if (failure) return failAll(leads, failure)
  const describe = (row: Row | undefined): Result => {
    if (!row) return { ok: true, note: rowIsGone }
    const mark = marks.get(row.id)
    if (mark === 'not set')
      return { ok: false, error: 'Airtable said yes without setting the Status.' }
    const note = mark === 'refused' && `Airtable does not take Status. ${runSetup}`
    return { ok: true, ...(note && { note }) }
  }
  return { outcomes: leads.map((lead) => ({ leadId: lead.id, ...describe(findRow(lead)) })) }
}

/** Writes into the rows of answered leads when that was. A Status that staff have set stays. */
export async function markAnswered(
  leads: readonly StoredLead[],
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<Turn> {
  const ask = connect(settings, deps)
  const found = await findRows(
    leads.map(({ id }) => id),
    settings,
    ask,
  )
  if (found.kind === 'failed') return failAll(leads, found)

  const outcomes: Turn['outcomes'] = []
  for (const [at, lead] of leads.entries()) {
    const rows = found.rows.filter(({ fields }) => fields['Lead ID'] === lead.id).slice(0, 10)
    const reply = rows.length > 0 ? await write(rows, lead, true) : undefined
    if (reply?.kind === 'failed') {
      const rest = failAll(leads.slice(at), reply)
      return { ...rest, outcomes: [...outcomes, ...rest.outcomes] }
    }
    const note = reply ? explainUnset(reply) : rowIsGone
    outcomes.push({ leadId: lead.id, ok: true, ...(note && { note }) })
  }
  return { outcomes }

  async function write(rows: Row[], lead: StoredLead, withTime: boolean): Promise<Reply> {
    const reply = await ask('PATCH', tablePath(settings), {
      // Of all cells only these, so that typecast can do no more than add the option.
      typecast: true,
      records: rows.map((row) => ({
        id: row.id,
        fields: {
          ...(withTime && { 'Answered At': new Date(lead.answeredAt ?? 0).toISOString() }),
          ...(!isTouched(row) && { Status: 'Called' }),
        },
      })),
    })
    // A table without the column still takes the Status.
    return reply.kind === 'refused' && withTime ? write(rows, lead, false) : reply
  }
}

function explainUnset(reply: Reply): string | undefined {
  if (reply.kind === 'refused') return `Airtable takes neither Answered At nor Status. ${runSetup}`
  if (readRows(reply).every(({ fields }) => fields['Answered At'] !== undefined)) return undefined
  return `Airtable does not take Answered At. ${runSetup}`
}
