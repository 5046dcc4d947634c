import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import { connect, type Failure, type Reply, runSetup } from './client.ts'
import { type ColumnName, makeCells } from './columns.ts'
import { type Attempt, decideNext, type Next } from './refusal.ts'
import { findRows, type Row, readRows, type Turn, tablePath } from './rows.ts'
import { fillStatus, type Mark } from './status.ts'

type SentRow = { lead: StoredLead; row: Row; note?: string }
type Sent = SentRow | ({ lead: StoredLead } & Extract<Result, { ok: false }>)

/** Sends at most ten leads. One row each, however often it is called with the same ones. */
export const sendToAirtable: Turn = async (leads, settings, deps) => {
  const ask = connect(settings, deps)
  // Once a call has failed, the rest of the batch waits for the next attempt.
  let failure: Failure | undefined

  const all = await send({ leads, leftOut: [], typecast: false })
  const rows = all.filter((one) => 'row' in one)
  const { marks } = await fillStatus(rows, write)
  const outcomes = all.map(({ lead, ...one }) => ({
    leadId: lead.id,
    ...('row' in one ? describeRow({ lead, ...one }, marks.get(one.row.id)) : one),
  }))
  return { outcomes, ...(failure?.holdMs && { holdMs: failure.holdMs }) }

  async function write(body: object): Promise<Reply> {
    const reply = failure ?? (await ask('PATCH', tablePath(settings), body))
    if (reply.kind === 'failed') failure = reply
    return reply
  }

  async function send(attempt: Attempt): Promise<Sent[]> {
    const reply = await write({
      performUpsert: { fieldsToMergeOn: ['Lead ID'] },
      typecast: attempt.typecast,
      records: attempt.leads.map((lead) => ({ fields: makeCells(lead, attempt.leftOut) })),
    })
    if (reply.kind === 'refused') return follow(decideNext(reply, attempt), attempt)
    if (reply.kind === 'failed') return failAll(attempt, reply.error)
    const written = readRows(reply)
    return attempt.leads.map((lead) => {
      const row = written.find(({ fields }) => fields['Lead ID'] === lead.id)
      if (row) return { lead, row }
      return { lead, ok: false, error: 'Airtable said yes, but the lead is not in its answer.' }
    })
  }

  async function follow(next: Next, attempt: Attempt): Promise<Sent[]> {
    if (next.kind === 'give up') return failAll(attempt, next.error, next.refused)
    if (next.kind === 'again') {
      const sent: Sent[] = []
      for (const one of next.attempts) sent.push(...(await send(one)))
      return sent
    }
    const { lead } = next
    const found = await findRows([lead.id], settings, ask)
    if (found.kind === 'ok' && found.rows.length > 1)
      return [await updateOldest(lead, found.rows, attempt.leftOut)]
    // A token that may write but not read is no reason to hold up the rest.
    if (found.kind === 'ok' || found.status === 403) return follow(next.otherwise, attempt)
    failure = found
    return failAll(attempt, found.error)
  }

  /** Someone copied the row. Both stay, for we cannot know what was written into which. */
  async function updateOldest(
    lead: StoredLead,
    copies: readonly Row[],
    leftOut: readonly ColumnName[],
  ): Promise<Sent> {
    const [oldest] = copies.toSorted((a, b) =>
      `${a.createdTime}${a.id}` < `${b.createdTime}${b.id}` ? -1 : 1,
    )
    const fields = makeCells(lead, leftOut)
    const reply = await write({ records: [{ id: oldest?.id, fields }] })
    if (reply.kind === 'failed') return { lead, ok: false, error: reply.error }
    const [row] = readRows(reply)
    const error = 'Airtable has several rows with this Lead ID.'
    if (!row) return { lead, ok: false, error, refused: true }
    const note = `Airtable has ${copies.length} rows with this Lead ID; the oldest is up to date.`
    return { lead, row, note }
  }
}

const failAll = ({ leads }: Attempt, error: string, refused = false): Sent[] =>
  leads.map((lead) => ({ lead, ok: false, error, ...(refused && { refused }) }))

/** A row counts as delivered when it holds the whole lead, if need be in Raw. */
function describeRow({ lead, row, note }: SentRow, mark: Mark | undefined): Result {
  const sent = Object.entries(makeCells(lead)).filter(([, cell]) => cell !== undefined)
  const missing = sent.map(([name]) => name).filter((name) => row.fields[name] === undefined)
  const isWhole = missing.length < 2 || !missing.includes('Raw')
  if (isWhole && mark === 'refused') missing.push('Status')
  const notTaken = missing.length > 0 && `Airtable does not take ${missing.join(', ')}. ${runSetup}`
  if (notTaken && !isWhole) return { ok: false, error: notTaken }
  const notes = [note, notTaken].filter(Boolean).join(' ')
  // Staff look at what is New: a row without Status could stay unseen.
  return { ok: true, ...(notes && { note: notes }), ...(mark === 'not set' && { next: 'status' }) }
}
