import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import * as v from 'valibot'
import { decideReminder } from '../delivery/reminder-steps.ts'
import type { LeadOutcome, ServiceType, StoredLead } from '../lead.ts'
import { serviceTypes } from '../lead.ts'
import { retryDeliveries } from '../store/deliveries.ts'
import { findLeads, type LeadState, type Position } from '../store/find-leads.ts'
import { recordOutcome, reopenLead } from '../store/outcome.ts'
import { findLead, listHandOvers, listPromises } from '../store/reading.ts'
import { recordAnswer } from '../store/reminders.ts'
import type { Database } from '../store/tables.ts'
import { writeCsv } from './csv-file.ts'
import { describeCard, describeInFull } from './describe.ts'
import { computeReport } from './promise-report.ts'
import { type Route, readBody, refuse } from './routes.ts'
import { readToday } from './today.ts'

export type LeadRouteOptions = {
  db: Database
  timeZone: string
  escalateAfterMinutes: readonly number[]
  /** By channel: whom it reaches, for a person to read. */
  findReceivers: () => Promise<ReadonlyMap<string, string>>
  /** What the owner should look at. */
  findWarnings: () => Promise<string[]>
  /** Erases a lead here and in Airtable, or throws a UserError. */
  erase: (leadId: string) => Promise<string>
  wake: () => void
  now: () => number
}

const dayMs = 24 * 3_600_000
const pageSize = 50
const reportDays = [7, 30, 90]

export function createLeadRoutes(options: LeadRouteOptions): Route[] {
  const { db, now, wake, timeZone } = options

  /** Answers with what is there, or with 304 if the phone has it already. */
  function sendFresh(c: Context, body: unknown): Response {
    const text = JSON.stringify(body)
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
    c.header('ETag', etag)
    if (c.req.header('if-none-match') === etag) return c.body(null, 304)
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  }

  /** The lead named in the address; what follows is done to it as it is now. */
  const withLead =
    (
      answer: (c: Context, lead: StoredLead, person: string) => Promise<Response>,
    ): Route['answer'] =>
    async (c, session) => {
      const lead = await findLead(db, c.req.param('id') ?? '')
      if (!lead) return refuse(c, 404, 'This lead was erased.')
      return answer(c, lead, session?.person ?? '')
    }

  const setOutcome = (outcome: LeadOutcome) =>
    withLead(async (c, { id }, person) => {
      await recordOutcome(db, id, { outcome, person, now: now() })
      wake()
      return showLead(c, id)
    })

  async function showLead(c: Context, id: string): Promise<Response> {
    const lead = await findLead(db, id)
    if (!lead) return refuse(c, 404, 'This lead was erased.')
    const receivers = await options.findReceivers()
    return sendFresh(c, { lead: describeInFull(lead, { timeZone, receivers, now: now() }) })
  }

  return [
    {
      method: 'GET',
      path: '/api/today',
      answer: async (c, session) => sendFresh(c, await readToday(session, options)),
    },
    // By POST: what is looked for is a person, and addresses end up in logs.
    {
      method: 'POST',
      path: '/api/search',
      answer: async (c) => {
        const asked = await readBody(c, searchSchema)
        if (!asked) return refuse(c, 400, 'This search cannot be understood.')
        const { before, ...filter } = asked
        const leads = await findLeads(db, filter, { limit: pageSize, before })
        const last = leads.length === pageSize ? leads.at(-1) : undefined
        const next = last ? `${last.receivedAt}.${last.id}` : null
        return c.json({ leads: leads.map(describeCard), next })
      },
    },
    {
      method: 'POST',
      path: '/api/spreadsheet',
      answer: async (c) => {
        const asked = await readBody(c, searchSchema)
        if (!asked) return refuse(c, 400, 'This search cannot be understood.')
        return new Response(toStream(writeCsv(db, asked)), {
          headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' },
        })
      },
    },
    {
      method: 'GET',
      path: '/api/promise',
      answer: async (c) => {
        const days = reportDays.find((some) => String(some) === c.req.query('days')) ?? 30
        const at = now()
        const period = { from: at - days * dayMs, to: at }
        const promises = await listPromises(db, period)
        const handOvers = await listHandOvers(db, period)
        const report = computeReport(promises, handOvers, { ...period, now: at, timeZone })
        return sendFresh(c, { report })
      },
    },
    { method: 'GET', path: '/api/leads/:id', answer: (c) => showLead(c, c.req.param('id') ?? '') },
    {
      method: 'POST',
      path: '/api/leads/:id/calling',
      answer: withLead(async (c, { id }, person) => {
        const at = now()
        const answer = await recordAnswer(db, id, {
          answeredAt: at,
          answeredBy: 'desk',
          answeredName: person,
          now: at,
        })
        wake()
        if (answer?.isFirst) return showLead(c, id)
        const who = answer?.answeredName ?? 'Somebody else'
        return refuse(c, 409, `${who} is calling already.`)
      }),
    },
    { method: 'POST', path: '/api/leads/:id/done', answer: setOutcome('done') },
    { method: 'POST', path: '/api/leads/:id/not-a-lead', answer: setOutcome('not-a-lead') },
    {
      method: 'POST',
      path: '/api/leads/:id/reopen',
      answer: withLead(async (c, { id, receivedAt }) => {
        const at = now()
        const { nextAt } = decideReminder(receivedAt, options.escalateAfterMinutes, at)
        await reopenLead(db, id, { remindAt: nextAt, now: at })
        wake()
        return showLead(c, id)
      }),
    },
    {
      method: 'POST',
      path: '/api/leads/:id/retry',
      answer: withLead(async (c, { id }) => {
        await retryDeliveries(db, id, now())
        wake()
        return showLead(c, id)
      }),
    },
    {
      method: 'DELETE',
      path: '/api/leads/:id',
      answer: withLead(async (c, lead) => {
        const typed = await readBody(c, v.object({ name: v.string() }))
        if (tidy(typed?.name) !== tidy(lead.name))
          return refuse(c, 400, 'Type the name as it stands there.')
        return c.json({ said: await options.erase(lead.id) })
      }),
    },
  ] as Route[]
}

/** Read as fast as the phone takes it. */
function toStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

const tidy = (name = '') => name.normalize().replace(/\s+/g, ' ').trim().toLowerCase()

const when = v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number)))
const searchSchema = v.object({
  search: v.optional(v.pipe(v.string(), v.maxLength(100))),
  source: v.optional(v.pipe(v.string(), v.maxLength(100))),
  from: when,
  to: when,
  service: v.optional(v.picklist(Object.keys(serviceTypes) as ServiceType[])),
  state: v.optional(v.picklist<LeadState[]>(['waiting', 'answered', 'done', 'not-a-lead'])),
  before: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,15}\.[\w-]{1,64}$/),
      v.transform((text): Position => {
        const [receivedAt, id = ''] = text.split('.')
        return { receivedAt: Number(receivedAt), id }
      }),
    ),
  ),
})
