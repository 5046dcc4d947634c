import * as v from 'valibot'
import { formatDuration } from '../clock.ts'
import { computePromise } from '../deadline.ts'
import { planRecipients } from '../delivery/plan.ts'
import { computeReminderAfterReopening } from '../delivery/reminder-steps.ts'
import { type EventKind, type HistoryEvent, maxNoteLength } from '../history.ts'
import type { StoredLead } from '../lead.ts'
import { describeEvent } from '../reports/describe-event.ts'
import { keepVisible, makeSafeLines } from '../safe-text.ts'
import { appendEvent, type EventPlan } from '../store/append-event.ts'
import { findLead } from '../store/reading.ts'
import { chooseWords } from '../words.ts'
import { describeLead } from './lead-routes.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskHooks,
  erased,
  readBody,
  refuse,
} from './routes.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const longestWaitMs = 30 * dayMs

/** Adds the route for what the crew does with a lead: calls, results, notes, and Undo. */
export function addEventRoutes(app: DeskApp, context: DeskContext, { wake }: DeskHooks): void {
  const { db, hours, now } = context
  const { timeZone, escalateAfterMinutes, noAnswerMinutes } = context.env

  app.post('/api/leads/:id/events', async (c) => {
    const { at: chosenAt, text = null, ...given } = await readBody(c, eventSchema, badEvent)
    const lead = await findLead(db, c.req.param('id'))
    if (!lead) return refuse(c, 404, erased)
    const at = now()
    const isRepeated = lead.events.some(({ id }) => id === given.id)
    const isGoodTime = chosenAt === undefined || (chosenAt > at && chosenAt <= at + longestWaitMs)
    if (!isGoodTime && !isRepeated) return refuse(c, 400, badTime)
    const { person, email } = c.var.session
    const callAgainAt =
      given.kind === 'no-answer' ? at + noAnswerMinutes * minuteMs : (chosenAt ?? null)
    const appended = await appendEvent(
      db,
      lead.id,
      { ...given, at, text, person, email, callAgainAt },
      { now: at, ...(await planEvent(given.kind, lead, at)) },
    )
    const current = await describeLead(context, lead.id)
    if (!current) return refuse(c, 404, erased)
    if (appended.outcome === 'refused') {
      const message = explainRefusal(given.kind, appended.because, lead, at)
      return c.json({ error: { message }, lead: current }, 409)
    }
    wake()
    return c.json({ lead: current })
  })

  /** Returns `at`, or when the company next opens if it is closed then. */
  const computeCallStart = ({ serviceType }: StoredLead, at: number) =>
    computePromise(at, serviceType, hours()).promiseStartAt

  const planEvent = async (kind: EventKind, lead: StoredLead, at: number): Promise<EventPlan> => ({
    ...(kind === 'no-answer' && {
      emailChannels: await planRecipients(context, { lead, reason: 'unreached' }),
    }),
    computeCallStart,
    computeStartOverAt(one) {
      const { promiseStartAt, deadlineAt } = one
      if (promiseStartAt === null || deadlineAt === null) return null
      // While the company is closed, reminders start over when it next opens.
      const reopenedAt = computeCallStart(one, at)
      const promise = { promiseStartAt, deadlineAt }
      return computeReminderAfterReopening(promise, escalateAfterMinutes, reopenedAt)
    },
  })

  /** Describes what happened instead, such as “Sam called 2 minutes ago.” */
  function explainRefusal(
    kind: EventKind,
    because: HistoryEvent | undefined,
    lead: StoredLead,
    at: number,
  ): string {
    if (!because)
      return kind === 'undone'
        ? 'There’s nothing to undo.'
        : `Nobody has ${chooseWords(lead).called} yet.`
    const ageMs = at - because.at
    const when = ageMs < recentMs ? 'just now' : `${formatDuration(ageMs)} ago`
    return `${describeEvent(because, { now: at, timeZone, when, lead })}.`
  }
}

const recentMs = 5_000
const badEvent = `This couldn’t be saved. Reload the page and try again. A note can have up to ${maxNoteLength} characters.`
const badTime = 'Choose a time within the next 30 days.'

const kinds = [
  'called',
  'no-answer',
  'call-again',
  'texted',
  'done',
  'not-a-lead',
  'note',
  'undone',
] as const

const eventSchema = v.pipe(
  v.object({
    /** The page creates this ID, so that a retry changes nothing. */
    id: v.pipe(v.string(), v.regex(/^[\w-]{8,64}$/)),
    kind: v.picklist(kinds),
    /** The version that the page showed. Undo needs it. */
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
    /** When to call again. */
    at: v.optional(v.pipe(v.number(), v.safeInteger())),
  }),
  v.check(({ kind, text }) => (kind === 'note') === (text !== undefined)),
  v.check(({ kind, at }) => (kind === 'call-again') === (at !== undefined)),
)
