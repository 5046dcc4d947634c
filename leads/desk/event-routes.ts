import * as v from 'valibot'
import { rowRecipients } from '../channels/channels.ts'
import { formatDay, formatDuration, parseLocalTime } from '../clock.ts'
import { listChanges, makesUrgent } from '../correction.ts'
import { computeCallStart, computePromise } from '../deadline.ts'
import { planRecipients } from '../delivery/plan.ts'
import { computeStepAfterReopening, listReminderMinutes } from '../delivery/reminder-steps.ts'
import { describeEvent } from '../describe-event.ts'
import { pickFields } from '../field-outputs.ts'
import { fieldNames } from '../fields.ts'
import { type EventKind, eventKinds, events, type HistoryEvent, maxNoteLength } from '../history.ts'
import type { StoredLead } from '../lead.ts'
import { longestWaitMs, suggestCallTime } from '../next-call.ts'
import { keepVisible, makeSafeLines } from '../safe-text.ts'
import { readDetails } from '../sale.ts'
import { appendEvent, type EventPlan } from '../store/append-event.ts'
import { findLead } from '../store/find-leads.ts'
import { hourMs } from '../time-units.ts'
import { chooseWords } from '../words.ts'
import { readCaller } from './add-route.ts'
import { describeLead } from './lead-routes.ts'
import { type DeskApp, type DeskContext, erased, readBody, refuse } from './routes.ts'

/** Adds the route for what the crew does with a lead, such as calls, results, notes, and Undo. */
export function addEventRoutes(app: DeskApp, context: DeskContext): void {
  const { db, hours, now, wake } = context
  const { noAnswerMinutes } = context.env

  app.post('/api/leads/:id/events', async (c) => {
    const { at: chosenAt, text: typed, fields, ...given } = await readBody(c, eventSchema, badEvent)
    const lead = await findLead(db, c.req.param('id'))
    if (!lead) return refuse(c, 404, erased)
    const at = now()
    const isRepeated = lead.events.some(({ id }) => id === given.id)
    // Allow a time up to an hour ago, because a phone without a connection sends the press later.
    const isGoodTime =
      chosenAt === undefined || (chosenAt > at - hourMs && chosenAt <= at + longestWaitMs)
    if (!isGoodTime && !isRepeated) return refuse(c, 400, badTime)
    const read = fields && readCaller({ ...pickFields(lead), ...given.shown, ...fields })
    if (read?.error) return c.json({ error: read.error }, 400)
    const changes = listChanges(given.shown ?? {}, fields ?? {}, read?.lead ?? lead)
    if (fields && changes.length === 0) return refuse(c, 400, sameValues)
    const text = fields
      ? JSON.stringify(changes)
      : (readDetails(given.kind, typed, formatDay(at, hours().timeZone)) ?? null)
    if (text === null && typed !== undefined && !isRepeated)
      return refuse(c, 400, events[given.kind].takes === 'date' ? badDate : badAmount)
    const { person, email } = c.var.session
    const appended = await appendEvent(
      db,
      lead.id,
      {
        ...given,
        at,
        text,
        person,
        email,
        callAgainAt: chosenAt === undefined ? null : Math.max(chosenAt, at),
      },
      {
        now: at,
        ...(await planEvent(given.kind, lead, at)),
        ...(makesUrgent(changes) && {
          startAt: computeCallStart(at, 'emergency', hours()),
        }),
      },
    )
    const current = await describeLead(c, context, lead.id)
    if (!current) return refuse(c, 404, erased)
    if (appended.outcome === 'refused') {
      const message = explainRefusal(given.kind, appended.because, lead, at)
      return c.json({ error: { message }, lead: current }, 409)
    }
    wake()
    return c.json({ lead: current })
  })

  const planEvent = async (kind: EventKind, lead: StoredLead, at: number): Promise<EventPlan> => ({
    rowRecipients,
    // Require a phone number, because the email contains the number's last digits.
    ...(events[kind].call === 'unanswered' &&
      lead.phone !== '' && {
        emailRecipients: await planRecipients(context, { lead, reason: 'unreached' }),
      }),
    computeCallAgainAt: ({ serviceType }, attempts) =>
      suggestCallTime({ now: at, serviceType, attempts, noAnswerMinutes }, hours()),
    dayStartAt: parseLocalTime(`${formatDay(at, hours().timeZone)}T00:00`, hours().timeZone),
    computeStartOverAt(one) {
      const { promiseStartAt, deadlineAt } = one
      if (promiseStartAt === null || deadlineAt === null) return null
      // While the company is closed, reminders start over when it next opens.
      const reopened = computePromise(at, one.serviceType, hours())
      const promise = { promiseStartAt, deadlineAt, reopened }
      return computeStepAfterReopening(promise, listReminderMinutes(promise, context), at)
    },
  })

  /** Returns why the event was refused, such as “Sam called 2 minutes ago.” */
  function explainRefusal(
    kind: EventKind,
    because: HistoryEvent | undefined,
    lead: StoredLead,
    at: number,
  ): string {
    if (!because && kind === 'corrected') return changedElsewhere
    if (!because)
      return kind === 'undone'
        ? 'There’s nothing to undo.'
        : `Nobody has ${chooseWords(lead).called} yet.`
    const ageMs = at - because.at
    const when = ageMs < recentMs ? 'just now' : `${formatDuration(ageMs)} ago`
    return `${describeEvent(because, { now: at, timeZone: hours().timeZone, when, lead })}.`
  }
}

const recentMs = 5_000
const badEvent = `This couldn’t be saved. Reload the page and try again. A note can have up to ${maxNoteLength} characters.`
const changedElsewhere = 'This lead has changed. Check it, and save again.'
const sameValues = 'Nothing has changed, so there’s nothing to save.'
const badTime = 'Choose a time within the next 60 days.'
const badDate = 'Choose a date within the next year.'
const badAmount = 'Enter whole dollars below $10,000,000, such as 12,500.'

const kinds = eventKinds.filter((kind) => events[kind].place !== null)

const fieldsSchema = v.record(v.picklist(fieldNames), v.string())

const eventSchema = v.pipe(
  v.object({
    /** The page creates this ID so that a retry does not add a second event. */
    id: v.pipe(v.string(), v.regex(/^[\w-]{8,64}$/)),
    kind: v.picklist(kinds),
    /** The version that the page showed. Undo and some results require it. */
    version: v.optional(v.pipe(v.number(), v.safeInteger())),
    via: v.optional(v.picklist(['desk', 'notification']), 'desk'),
    text: v.optional(
      v.pipe(
        v.string(),
        v.transform(makeSafeLines),
        v.check((text) => keepVisible(text) !== ''),
        v.maxLength(maxNoteLength),
      ),
    ),
    /** The other requests on the card, with the versions that the card showed. */
    requests: v.optional(
      v.pipe(
        v.array(
          v.object({
            id: v.pipe(v.string(), v.maxLength(64)),
            version: v.pipe(v.number(), v.safeInteger()),
          }),
        ),
        v.maxLength(50),
      ),
    ),
    /** True if the person chose only this one of several requests. */
    isAlone: v.optional(v.boolean()),
    /** For a correction: the values that the page showed, and those that were typed. */
    shown: v.optional(fieldsSchema),
    fields: v.optional(fieldsSchema),
    /** When to call again. */
    at: v.optional(v.pipe(v.number(), v.safeInteger())),
  }),
  v.check(({ kind, text }) => {
    const { takes } = events[kind]
    const takesText = takes !== undefined && takes !== 'time' && takes !== 'fields'
    // The amount is optional.
    return takesText === (text !== undefined) || (takes === 'amount' && text === undefined)
  }),
  v.check(({ kind, fields, shown }) => {
    const takesFields = events[kind].takes === 'fields'
    return takesFields === (fields !== undefined) && takesFields === (shown !== undefined)
  }),
  v.check(({ kind, at }) => (events[kind].takes === 'time') === (at !== undefined)),
)
