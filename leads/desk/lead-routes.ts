import type { Context } from 'hono'
import * as v from 'valibot'
import { mapRecipients, waitsForSetup } from '../channels/channels.ts'
import { type Clock, computeDay } from '../clock.ts'
import { eraseEverywhere } from '../delivery/erase-everywhere.ts'
import { type ServiceType, serviceTypes } from '../fields.ts'
import { hash } from '../hash.ts'
import { formatCsv, type Pages, readPages } from '../reports/csv.ts'
import { describeCard, describeInFull } from '../reports/describe.ts'
import { reportDays } from '../reports/periods.ts'
import { computeReport } from '../reports/promise-report.ts'
import { foldText } from '../safe-text.ts'
import { type LeadStatus, listStatuses, statusKinds } from '../statuses.ts'
import { retryDeliveries } from '../store/deliveries.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { listPeriodEvents, listSharers } from '../store/find-events.ts'
import {
  findLead,
  type LeadFilter,
  type LeadRecord,
  listOtherRequests,
  listPromises,
  type Position,
  searchLeads,
} from '../store/find-leads.ts'
import { dayMs } from '../time-units.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskRequest,
  erased,
  logAction,
  readBody,
  refuse,
} from './routes.ts'
import { readToday } from './today.ts'

const pageSize = 50

export function addLeadRoutes(app: DeskApp, context: DeskContext): void {
  const { db, hours, now, wake } = context

  const readClock = () => ({ now: now(), timeZone: hours().timeZone })

  /** Returns 304 if the browser already has this data. */
  function sendFresh(c: Context, body: unknown): Response {
    const text = JSON.stringify(body)
    const etag = `"${hash(text)}"`
    c.header('ETag', etag)
    if (c.req.header('if-none-match') === etag) return c.body(null, 304)
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  }

  const withLead =
    (answer: (c: DeskRequest, lead: LeadRecord) => Promise<Response>) => async (c: DeskRequest) => {
      const lead = await findLead(db, c.req.param('id') ?? '')
      return lead ? answer(c, lead) : refuse(c, 404, erased)
    }

  async function showLead(c: DeskRequest, id: string): Promise<Response> {
    const lead = await describeLead(c, context, id)
    return lead ? sendFresh(c, { lead }) : refuse(c, 404, erased)
  }

  app.get('/api/today', async (c) => sendFresh(c, await readToday(c.var.session, context)))
  // Use POST, because logs contain URLs and a search may contain a name.
  app.post('/api/search', async (c) => {
    const body = await readBody(c, searchSchema, badSearch)
    const { before } = body
    const leads = await searchLeads(db, makeFilter(body, readClock()), {
      limit: pageSize,
      before,
    })
    const last = leads.length === pageSize ? leads.at(-1) : undefined
    const next = last ? `${last.receivedAt}.${last.id}` : null
    return c.json({ leads: leads.map(describeCard), next })
  })
  app.post('/api/spreadsheet', async (c) => {
    const body = await readBody(c, searchSchema, badSearch)
    const pages = hideUnused(readPages(db, makeFilter(body, readClock())), context)
    await logAction(context, c, 'exported leads')
    return new Response(toStream(formatCsv(pages, hours().timeZone)), {
      headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' },
    })
  })
  app.get('/api/report', async (c) => {
    const days = Number(reportDays.find((some) => some === c.req.query('days')) ?? 30)
    const at = now()
    const period = { from: at - days * dayMs, to: at }
    const promises = await listPromises(db, period)
    const events = await listPeriodEvents(db, period)
    const { timeZone } = hours()
    const report = computeReport(promises, events, { ...period, now: at, timeZone })
    return sendFresh(c, { report })
  })
  app.get('/api/leads/:id', (c) => showLead(c, c.req.param('id')))
  app.post(
    '/api/leads/:id/retry',
    withLead(async (c, { id }) => {
      await retryDeliveries(db, id, now())
      wake()
      return showLead(c, id)
    }),
  )
  app.post('/api/retry', async (c) => {
    const retried = await retryDeliveries(db, 'all', now())
    wake()
    const sent = retried.filter(
      (recipient) => !waitsForSetup({ recipient, state: 'waiting' }, context),
    )
    return c.json({ retried: sent.length })
  })
  app.delete(
    '/api/leads/:id',
    withLead(async (c, lead) => {
      const { id } = lead
      const { name, hereOnly } = await readBody(c, eraseSchema, otherName)
      if (foldText(name) !== foldText(describeCard(lead).name)) return refuse(c, 400, otherName)
      if (hereOnly) {
        await eraseLead(db, id)
        await logAction(context, c, 'erased a lead', { leadId: id })
        const message = `Erased here only. In Airtable, delete the row with Lead ID ${id} by hand.`
        return c.json({ message })
      }
      const rows = await eraseEverywhere(id, context)
      await logAction(context, c, 'erased a lead', { leadId: id })
      return c.json({ message: rows ? erasedInAirtable : 'Erased.' })
    }),
  )
}

/** Returns what the desk shows about a lead, or undefined if it was erased. */
export async function describeLead(c: DeskRequest, context: DeskContext, id: string) {
  const { db, hours, now } = context
  const lead = await findLead(db, id)
  if (!lead) return undefined
  const recipients = await mapRecipients(context)
  const others = await listOtherRequests(db, lead)
  const sharers = await listSharers(db, id)
  const { timeZone } = hours()
  const shown = hideUnusedOf(lead, context)
  const explainsErrors = c.var.session.role === 'owner'
  const options = { timeZone, recipients, explainsErrors, others, sharers, now: now() }
  return describeInFull(shown, options)
}

const hideUnusedOf = (lead: LeadRecord, context: DeskContext): LeadRecord => ({
  ...lead,
  deliveries: lead.deliveries.filter((delivery) => !waitsForSetup(delivery, context)),
})

async function* hideUnused(pages: Pages, context: DeskContext): Pages {
  for await (const page of pages) yield page.map((lead) => hideUnusedOf(lead, context))
}

const otherName = 'That doesn’t match. Type it exactly as shown.'
const badSearch = 'This search didn’t work. Clear the filters and try again.'

const erasedInAirtable =
  'Erased here and in Airtable. Airtable keeps deleted rows in its trash for a few days, so empty the trash.'

const eraseSchema = v.object({ name: v.string(), hereOnly: v.optional(v.boolean()) })

function toStream(texts: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

const searchSchema = v.object({
  search: v.optional(v.pipe(v.string(), v.maxLength(100))),
  source: v.optional(v.pipe(v.string(), v.maxLength(100))),
  day: v.optional(v.pipe(v.string(), v.isoDate())),
  service: v.optional(v.picklist(Object.keys(serviceTypes) as ServiceType[])),
  status: v.optional(v.picklist([...statusKinds, 'late', 'next-call'])),
  /** For example, 7 finds leads received in the last 7 days. */
  days: v.optional(v.picklist(reportDays)),
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

type Search = v.InferOutput<typeof searchSchema>

function listChosen(status: NonNullable<Search['status']>): LeadStatus[] {
  if (status === 'late') return ['open']
  return status === 'next-call' ? listStatuses(status) : [status]
}

/** A day runs from midnight to midnight in the company's time zone. */
function makeFilter(
  { day, days, status, before: _, ...some }: Search,
  { now, timeZone }: Clock,
): LeadFilter {
  const filter: LeadFilter = {
    ...some,
    ...(days && { from: now - Number(days) * dayMs }),
    ...(status && { statuses: listChosen(status) }),
    ...(status === 'late' && { lateAt: now }),
  }
  if (!day) return filter
  // While someone types a year, the date field reports years such as 0002, which have no leads.
  if (!day.startsWith('20')) return { ...filter, to: 0 }
  return { ...filter, ...computeDay(day, timeZone) }
}
