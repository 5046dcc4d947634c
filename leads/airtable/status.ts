import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import {
  type AirtableDeps,
  type AirtableSettings,
  connect,
  type Failure,
  findRows,
  formatNew,
  type Reply,
  type Row,
  type RowOutcome,
  readRows,
  runSetup,
  tablePath,
} from './airtable.ts'

type Marked = { outcomes: RowOutcome[]; holdMs?: number }

const untouchedStatuses: readonly unknown[] = [undefined, '', 'New', 'Suspect']

/** Whether staff have given the row a Status of their own. */
export const isTouched = ({ fields }: Row): boolean => !untouchedStatuses.includes(fields.Status)

const rowIsGone = 'The row is no longer in Airtable.'

const findIds = (leads: readonly StoredLead[]) => leads.map(({ id }) => id)

const failAll = (leads: readonly StoredLead[], { status, error, holdMs }: Failure): Marked => ({
  // A token that may write but not read is no outage: rows still arrive.
  outcomes: leads.map(({ id }) => ({ leadId: id, ok: false, error, refused: status === 403 })),
  ...(holdMs && { holdMs }),
})

/** Sets Status where it is still empty, in rows that were sent when Airtable had no time for it. */
export async function markNew(
  leads: readonly StoredLead[],
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<Marked> {
  const ask = connect(settings, deps)
  const found = await findRows(findIds(leads), settings, ask)
  if (found.kind === 'failed') return failAll(leads, found)
  const rows = leads.map((lead) => ({
    lead,
    row: found.rows.find(({ fields }) => fields['Lead ID'] === lead.id),
  }))
  const unmarked = rows.flatMap(({ lead, row }) =>
    row && row.fields.Status === undefined ? [{ lead, row }] : [],
  )
  const reply =
    unmarked.length > 0
      ? await ask('PATCH', tablePath(settings), formatNew(unmarked))
      : ({ kind: 'ok', body: { records: [] } } as const)
  if (reply.kind === 'failed') return failAll(leads, reply)
  const marked = readRows(reply)
  return {
    outcomes: rows.map(({ lead, row }): RowOutcome => {
      const leadId = lead.id
      if (!row) return { leadId, ok: true, note: rowIsGone }
      if (row.fields.Status !== undefined) return { leadId, ok: true }
      if (reply.kind === 'refused')
        return { leadId, ok: true, note: `Airtable does not take Status. ${runSetup}` }
      return marked.some(({ id, fields }) => id === row.id && fields.Status)
        ? { leadId, ok: true }
        : { leadId, ok: false, error: 'Airtable said yes without setting the Status.' }
    }),
  }
}

/** Writes into the rows of answered leads when that was. A Status that staff have set stays. */
export async function markAnswered(
  leads: readonly StoredLead[],
  settings: AirtableSettings,
  deps: AirtableDeps,
): Promise<Marked> {
  const ask = connect(settings, deps)
  const found = await findRows(findIds(leads), settings, ask)
  if (found.kind === 'failed') return failAll(leads, found)

  const outcomes: RowOutcome[] = []
  for (const [at, lead] of leads.entries()) {
    const rows = found.rows.filter(({ fields }) => fields['Lead ID'] === lead.id).slice(0, 10)
    const reply = rows.length > 0 ? await write(rows, lead, true) : undefined
    if (reply?.kind === 'failed') {
      const rest = failAll(leads.slice(at), reply)
      return { ...rest, outcomes: [...outcomes, ...rest.outcomes] }
    }
    outcomes.push({ leadId: lead.id, ...describeMarked(reply) })
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

  function describeMarked(reply: Reply | undefined): Result {
    if (reply === undefined) return { ok: true, note: rowIsGone }
    if (reply.kind === 'refused')
      return { ok: true, note: `Airtable takes neither Answered At nor Status. ${runSetup}` }
    const whole = readRows(reply).every(({ fields }) => fields['Answered At'] !== undefined)
    return whole
      ? { ok: true }
      : { ok: true, note: `Airtable does not take Answered At. ${runSetup}` }
  }
}
