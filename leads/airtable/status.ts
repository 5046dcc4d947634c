import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import { connect, type Failure, type Reply, runSetup } from './client.ts'
import { findRows, type Row, readRows, type Turn, tablePath } from './rows.ts'

type Write = (body: object) => Promise<Reply>

const untouchedStatuses: readonly unknown[] = [undefined, '', 'New', 'Suspect']

/** Whether staff have given the row a Status of their own. */
export const isTouched = ({ fields }: Row): boolean => !untouchedStatuses.includes(fields.Status)

/** What became of an empty Status. */
export type Mark = 'set' | 'refused' | 'not set'

/** Sets Status where it is empty. Tells by row's id what became of it; the others are not listed. */
export async function fillStatus(
  rows: readonly { lead: StoredLead; row: Row }[],
  write: Write,
): Promise<{ marks: Map<string, Mark>; failure?: Failure }> {
  const empty = rows.filter(({ row }) => row.fields.Status === undefined)
  if (empty.length === 0) return { marks: new Map() }
  const records = empty.map(({ row, lead }) => ({
    id: row.id,
    fields: { Status: lead.suspect ? 'Suspect' : 'New' },
  }))
  // Of all cells only this one, so that typecast can do no more than add the option.
  const reply = await write({ typecast: true, records })
  const written = readRows(reply)
  const findMark = (id: string): Mark => {
    if (reply.kind === 'refused') return 'refused'
    return written.some((row) => row.id === id && row.fields.Status) ? 'set' : 'not set'
  }
  const marks = new Map(empty.map(({ row: { id } }) => [id, findMark(id)]))
  return { marks, ...(reply.kind === 'failed' && { failure: reply }) }
}

type LeadRows = { lead: StoredLead; rows: Row[] }

/** What became of a lead: a note for the owner, or why it is to be tried again. */
type Said = string | Failure | undefined

/** A turn on rows that are there already. */
function onRows(work: (leads: LeadRows[], write: Write) => Promise<Said[]>): Turn {
  return async (leads, settings, deps) => {
    const ask = connect(settings, deps)
    const ids = leads.map(({ id }) => id)
    const found = await findRows(ids, settings, ask)
    const findOwn = (id: string) =>
      found.kind === 'ok' ? found.rows.filter(({ fields }) => fields['Lead ID'] === id) : []
    const said =
      found.kind === 'ok'
        ? await work(
            leads.map((lead) => ({ lead, rows: findOwn(lead.id) })),
            (body) => ask('PATCH', tablePath(settings), body),
          )
        : leads.map(() => found)
    const holdMs = said.map((one) => typeof one === 'object' && one.holdMs).find(Boolean)
    const outcomes = ids.map((leadId, at) => ({ leadId, ...describe(said[at]) }))
    return { outcomes, ...(holdMs && { holdMs }) }
  }
}

function describe(said: Said): Result {
  if (typeof said !== 'object') return { ok: true, ...(said && { note: said }) }
  // A token that may write but not read is no outage: rows still arrive.
  return { ok: false, error: said.error, refused: said.status === 403 }
}

const rowIsGone = 'The row is no longer in Airtable.'

/** Sets Status in rows that were sent when Airtable had no time for it. */
export const markNew = onRows(async (leads, write) => {
  const rows = leads.flatMap(({ lead, rows: [row] }) => (row ? [{ lead, row }] : []))
  const { marks, failure } = await fillStatus(rows, write)
  return leads.map(({ rows: [row] }) => {
    if (failure || !row) return failure ?? rowIsGone
    const mark = marks.get(row.id)
    if (mark === 'refused') return `Airtable does not take Status. ${runSetup}`
    const error = 'Airtable said yes without setting the Status.'
    return mark === 'not set' ? { kind: 'failed', error } : undefined
  })
})

// What a row may say that is ours to change; what staff have chosen themselves stays.
const outcomeStatuses = { done: 'Done', 'not-a-lead': 'Not a lead' } as const
const ours: readonly unknown[] = [...untouchedStatuses, 'Called', ...Object.values(outcomeStatuses)]

const describeOpen = ({ answeredAt, suspect }: StoredLead) =>
  answeredAt !== null ? 'Called' : suspect ? 'Suspect' : 'New'

/** Writes what became of leads into their rows. */
export const markOutcome = onRows(async (leads, write) => {
  const records = leads.flatMap(({ lead, rows }) =>
    rows
      .filter(({ fields }) => ours.includes(fields.Status))
      .map(({ id }) => ({
        id,
        fields: { Status: lead.outcome ? outcomeStatuses[lead.outcome] : describeOpen(lead) },
      })),
  )
  const replies = new Map<string, Reply>()
  let failure: Failure | undefined
  // A lead may have copies, and Airtable takes ten rows at a time.
  for (let start = 0; start < records.length; start += 10) {
    const some = records.slice(start, start + 10)
    const reply: Reply = failure ?? (await write({ typecast: true, records: some }))
    if (reply.kind === 'failed') failure = reply
    for (const { id } of some) replies.set(id, reply)
  }
  return leads.map(({ rows }) => {
    if (rows.length === 0) return rowIsGone
    const own = rows.flatMap(({ id }) => replies.get(id) ?? [])
    if (own.some(({ kind }) => kind === 'failed')) return failure
    const isRefused = own.some(({ kind }) => kind === 'refused')
    return isRefused ? `Airtable does not take Status. ${runSetup}` : undefined
  })
})

/** Writes into the rows of answered leads when that was. A Status that staff have set stays. */
export const markAnswered = onRows(async (leads, write) => {
  const said: Said[] = []
  let failure: Failure | undefined
  for (const one of leads) {
    const reply = failure ?? (one.rows.length > 0 ? await writeAnswer(one, write, true) : undefined)
    if (reply?.kind === 'failed') failure = reply
    said.push(failure ?? (reply ? explainUnset(reply) : rowIsGone))
  }
  return said
})

async function writeAnswer(one: LeadRows, write: Write, withTime: boolean): Promise<Reply> {
  const answeredAt = new Date(one.lead.answeredAt ?? 0).toISOString()
  const records = one.rows.slice(0, 10).map((row) => ({
    id: row.id,
    fields: {
      ...(withTime && { 'Answered At': answeredAt }),
      ...(!isTouched(row) && { Status: 'Called' }),
    },
  }))
  const reply = await write({ typecast: true, records })
  // A table without the column still takes the Status.
  return reply.kind === 'refused' && withTime ? writeAnswer(one, write, false) : reply
}

function explainUnset(reply: Reply): string | undefined {
  if (reply.kind === 'refused') return `Airtable takes neither Answered At nor Status. ${runSetup}`
  if (readRows(reply).every(({ fields }) => fields['Answered At'] !== undefined)) return undefined
  return `Airtable does not take Answered At. ${runSetup}`
}
