import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import * as v from 'valibot'
import { mapRecipients } from '../channels/channels.ts'
import { formatDay, parseLocalTime } from '../clock.ts'
import { computePromise } from '../deadline.ts'
import { eraseEverywhere } from '../delivery/erase-everywhere.ts'
import { planRecipients } from '../delivery/plan.ts'
import { computeReminderAfterReopening } from '../delivery/reminder-steps.ts'
import { type ServiceType, serviceTypes } from '../fields.ts'
import type { LeadOutcome } from '../lead.ts'
import { formatCsv, readPages } from '../reports/csv.ts'
import { describeCard, describeInFull } from '../reports/describe.ts'
import { computeReport } from '../reports/promise-report.ts'
import { retryDeliveries } from '../store/deliveries.ts'
import { eraseLead } from '../store/erase-lead.ts'
import {
  findLeads,
  foldText,
  type LeadFilter,
  type LeadState,
  type Position,
} from '../store/find-leads.ts'
import { recordNoAnswer, recordOutcome, undoLast } from '../store/outcome.ts'
import {
  findLead,
  type LeadWithDeliveries,
  listDeliveryTimes,
  listPromises,
} from '../store/reading.ts'
import { recordAnswer } from '../store/reminders.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskHooks,
  type DeskRequest,
  logAction,
  readBody,
  refuse,
} from './routes.ts'
import { readToday } from './today.ts'

const dayMs = 24 * 3_600_000
const pageSize = 50
const reportDays = [7, 30, 90]

export function addLeadRoutes(app: DeskApp, context: DeskContext, hooks: DeskHooks): void {
  const { db, hours, now } = context
  const { timeZone, escalateAfterMinutes, noAnswerMinutes } = context.env
  const { wake } = hooks

  /** Returns 304 if the phone has the same data. */
  function sendFresh(c: Context, body: unknown): Response {
    const text = JSON.stringify(body)
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
    c.header('ETag', etag)
    if (c.req.header('if-none-match') === etag) return c.body(null, 304)
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  }

  const withLead =
    (answer: (c: DeskRequest, lead: LeadWithDeliveries) => Promise<Response>) =>
    async (c: DeskRequest) => {
      const lead = await findLead(db, c.req.param('id') ?? '')
      return lead ? answer(c, lead) : refuse(c, 404, 'This lead was erased.')
    }

  const setOutcome = (outcome: LeadOutcome) =>
    withLead(async (c, { id }) => {
      await recordOutcome(db, id, { outcome, person: c.var.session.person, now: now() })
      wake()
      return showLead(c, id)
    })

  /** Returns `at`, or when the company next opens if it is closed then. */
  const findCallStart = (at: number, serviceType: string) =>
    computePromise(at, serviceType, hours()).promiseStartAt

  async function showLead(c: Context, id: string): Promise<Response> {
    const lead = await findLead(db, id)
    if (!lead) return refuse(c, 404, 'This lead was erased.')
    const recipients = await mapRecipients(context)
    return sendFresh(c, {
      lead: describeInFull(lead, { timeZone, recipients, now: now() }),
    })
  }

  app.get('/api/today', async (c) => sendFresh(c, await readToday(c.var.session, context, hooks)))
  // Use POST, because logs contain URLs and a search may contain a name.
  app.post('/api/search', async (c) => {
    const body = await readBody(c, searchSchema, badSearch)
    const { before } = body
    const leads = await findLeads(db, makeFilter(body, timeZone), { limit: pageSize, before })
    const last = leads.length === pageSize ? leads.at(-1) : undefined
    const next = last ? `${last.receivedAt}.${last.id}` : null
    return c.json({ leads: leads.map(describeCard), next })
  })
  app.post('/api/spreadsheet', async (c) => {
    const body = await readBody(c, searchSchema, badSearch)
    const pages = readPages(db, makeFilter(body, timeZone))
    await logAction(context, c, 'exported leads')
    return new Response(toStream(formatCsv(pages, timeZone)), {
      headers: { 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' },
    })
  })
  app.get('/api/promise', async (c) => {
    const days = reportDays.find((some) => String(some) === c.req.query('days')) ?? 30
    const at = now()
    const period = { from: at - days * dayMs, to: at }
    const promises = await listPromises(db, period)
    const deliveryTimes = await listDeliveryTimes(db, period)
    const report = computeReport(promises, deliveryTimes, { ...period, now: at, timeZone })
    return sendFresh(c, { report })
  })
  app.get('/api/leads/:id', (c) => showLead(c, c.req.param('id')))
  app.post(
    '/api/leads/:id/calling',
    withLead(async (c, { id }) => {
      const at = now()
      const isFirst = await recordAnswer(db, id, {
        answeredAt: at,
        answeredBy: 'desk',
        answeredName: c.var.session.person,
        now: at,
      })
      wake()
      if (isFirst) return showLead(c, id)
      const { callAttempts, answeredName } = (await findLead(db, id)) ?? {}
      // The stored name is the first caller, who may not be calling now.
      const who = (callAttempts === 0 && answeredName) || 'Someone else'
      return refuse(c, 409, `${who} is already calling.`)
    }),
  )
  app.post(
    '/api/leads/:id/no-answer',
    withLead(async (c, lead) => {
      const { attempts } = await readBody(c, attemptsSchema, reload)
      if (lead.outcome) return refuse(c, 409, 'This lead is already closed.')
      const { id, serviceType, deadlineAt, deliveries } = lead
      const callAgainAt = findCallStart(now() + noAnswerMinutes * 60_000, serviceType)
      const isTold = deliveries.some(
        ({ reason, state }) => reason === 'unreached' && state !== 'cancelled',
      )
      await recordNoAnswer(db, id, {
        attempts,
        callAgainAt,
        // Suspected spam gets no reminders.
        remindAt: deadlineAt === null ? null : callAgainAt,
        person: c.var.session.person,
        channels: isTold ? [] : await planRecipients(context, { lead, reason: 'unreached' }),
        now: now(),
      })
      wake()
      return showLead(c, id)
    }),
  )
  app.post('/api/leads/:id/done', setOutcome('done'))
  app.post('/api/leads/:id/not-a-lead', setOutcome('not-a-lead'))
  app.post(
    '/api/leads/:id/undo',
    withLead(async (c, { id, promiseStartAt, deadlineAt, serviceType }) => {
      const shown = await readBody(c, shownSchema, reload)
      // While the company is closed, reminders start over when it next opens.
      const reopenedAt = findCallStart(now(), serviceType)
      const remindAt =
        promiseStartAt === null || deadlineAt === null
          ? null
          : computeReminderAfterReopening(
              { promiseStartAt, deadlineAt },
              escalateAfterMinutes,
              reopenedAt,
            )
      const isUndone = await undoLast(db, id, shown, { remindAt, reopenedAt, now: now() })
      if (!isUndone) return refuse(c, 409, cannotUndo)
      wake()
      return showLead(c, id)
    }),
  )
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
    return c.json({ retried })
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

const reload = 'Reload the page and try again.'
const otherName = 'The name doesn’t match. Type it exactly as shown.'
const badSearch = 'This search didn’t work. Clear the filters and try again.'

const cannotUndo = 'This lead has changed in the meantime, so nothing was undone.'
const erasedInAirtable =
  'Erased here and in Airtable. Airtable keeps deleted rows in its trash for a few days, so empty the trash.'

const count = v.pipe(v.number(), v.integer(), v.maxValue(999))
const time = v.pipe(v.number(), v.safeInteger())
const attemptsSchema = v.object({ attempts: count })
const shownSchema = v.object({
  outcome: v.nullable(v.picklist<LeadOutcome[]>(['done', 'not-a-lead'])),
  answeredAt: v.nullable(time),
  callAttempts: count,
  callAgainAt: v.nullable(time),
})

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

type Search = v.InferOutput<typeof searchSchema>

/** A day runs from midnight to midnight in the company's time zone. */
function makeFilter({ day, before: _, ...filter }: Search, timeZone: string): LeadFilter {
  if (!day) return filter
  // While someone types a year, the date field reports years such as 0002, which have no leads.
  if (!day.startsWith('20')) return { ...filter, to: 0 }
  const next = formatDay(Date.parse(day) + dayMs, 'UTC')
  const findMidnight = (date: string) => parseLocalTime(`${date}T00:00`, timeZone)
  return { ...filter, from: findMidnight(day), to: findMidnight(next) }
}
