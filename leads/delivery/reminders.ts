import { type AirtableSettings, connect } from '../airtable/client.ts'
import { findRows } from '../airtable/rows.ts'
import { isTouched } from '../airtable/status.ts'
import type { Escalation } from '../channel.ts'
import { promiseMs } from '../lead.ts'
import type { Log } from '../log.ts'
import { acquireChannel, releaseChannel } from '../store/channel-leases.ts'
import {
  escalateLead,
  findNextEscalationAt,
  listUnanswered,
  recordAnswer,
  type UnansweredLead,
} from '../store/reminders.ts'
import type { Database } from '../store/tables.ts'

type Step = { occasion: Escalation; afterMs: number }

const listSteps = (escalateAfterMinutes: readonly number[]): Step[] => [
  ...escalateAfterMinutes.map((minutes) => ({
    occasion: `unanswered-${minutes}` as const,
    afterMs: minutes * 60_000,
  })),
  { occasion: 'missed', afterMs: promiseMs },
]

/** When staff are first reminded of a lead that nobody answers. */
export const findFirstEscalationAt = (
  receivedAt: number,
  escalateAfterMinutes: readonly number[],
): number => receivedAt + Math.min(...listSteps(escalateAfterMinutes).map(({ afterMs }) => afterMs))

/**
 * What is true of an unanswered lead now, and when that changes. Steps that went by while nobody
 * looked are passed over: after an outage staff hear once that the promise is missed, not thrice.
 */
export function findStep(
  { receivedAt }: Pick<UnansweredLead, 'receivedAt'>,
  escalateAfterMinutes: readonly number[],
  now: number,
): { occasion: Escalation | undefined; nextAt: number | null } {
  const steps = listSteps(escalateAfterMinutes)
  const next = steps.find(({ afterMs }) => receivedAt + afterMs > now)
  return {
    occasion: steps.findLast(({ afterMs }) => receivedAt + afterMs <= now)?.occasion,
    nextAt: next ? receivedAt + next.afterMs : null,
  }
}

export type PromiseOptions = {
  db: Database
  airtable: AirtableSettings | undefined
  /** The channels that hear when nobody has called. */
  channels: readonly string[]
  escalateAfterMinutes: readonly number[]
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  now: () => number
  log: Log
}

// Of one reading; a lead's id takes 55 characters of an address that Airtable limits to 16,000.
const leadsAtOnce = 50

const readTimeoutMs = 5_000

const leaseMs = 30_000

const restMs = 250

const lookAgainMs = 500

// A reminder may be so late because Airtable is busy. Later would cost more than it could save.
const waitForAirtableMs = 5_000

// Supabase's cron looks once a minute.
const lateLookMs = 90_000

/** Reminds staff of leads that nobody has answered, unless Airtable's rows show that someone has. */
export async function escalateDue(
  options: PromiseOptions,
): Promise<{ escalated: number; nextAt: number | undefined }> {
  const { db, airtable, now } = options
  const dueAt = await findNextEscalationAt(db)
  if (dueAt === undefined || dueAt > now()) return { escalated: 0, nextAt: dueAt }

  const holder = crypto.randomUUID()
  const lease = { holder, now: now(), until: now() + leaseMs }
  const mayRead = airtable !== undefined && (await acquireChannel(db, 'airtable', lease))
  if (airtable && !mayRead && now() < dueAt + waitForAirtableMs)
    return { escalated: 0, nextAt: now() + lookAgainMs }

  let escalated = 0
  let holdMs = restMs
  try {
    const leads = await listUnanswered(db, now(), leadsAtOnce)
    let called = new Set<unknown>()
    if (mayRead && leads.length > 0) {
      const read = await readAnswers(leads, airtable, options)
      called = read.called
      holdMs = Math.max(read.holdMs, restMs)
    }
    for (const lead of leads)
      if (called.has(lead.id)) await recordAirtableAnswer(lead, options)
      else if (await escalate(lead, options)) escalated += 1
  } finally {
    if (mayRead) await releaseChannel(db, 'airtable', holder, now() + holdMs)
  }
  return { escalated, nextAt: await findNextEscalationAt(db) }
}

/**
 * The leads whose rows staff have given a Status of their own. None when Airtable cannot be read: a
 * needless reminder costs less than a missed promise.
 */
async function readAnswers(
  leads: readonly UnansweredLead[],
  airtable: AirtableSettings,
  { fetch, pause, log }: PromiseOptions,
): Promise<{ called: Set<unknown>; holdMs: number }> {
  const ask = connect(airtable, { fetch, pause, requestTimeoutMs: readTimeoutMs })
  const found = await findRows(
    leads.map(({ id }) => id),
    airtable,
    ask,
  )
  if (found.kind === 'failed') {
    log.warn({ error: found.error }, 'reminders go out without a look at Airtable')
    return { called: new Set(), holdMs: found.holdMs ?? 0 }
  }
  const called = found.rows.filter(isTouched).map(({ fields }) => fields['Lead ID'])
  return { called: new Set(called), holdMs: 0 }
}

async function recordAirtableAnswer(
  { id, receivedAt }: UnansweredLead,
  { db, now, log }: PromiseOptions,
): Promise<void> {
  // Airtable does not say when Status was set, only that it was before this look. A look for the
  // deadline comes just after it, so what it finds was set in time, as far as anyone can tell.
  const deadlineAt = receivedAt + promiseMs
  const answeredAt = now() - deadlineAt < lateLookMs ? Math.min(now(), deadlineAt) : now()
  await recordAnswer(db, id, { answeredAt, answeredBy: 'airtable', now: now() })
  log.info({ leadId: id }, 'answered, says Airtable')
}

async function escalate(
  lead: UnansweredLead,
  { db, channels, escalateAfterMinutes, now, log }: PromiseOptions,
): Promise<boolean> {
  const { occasion, nextAt } = findStep(lead, escalateAfterMinutes, now())
  const isOurs = await escalateLead(db, lead, occasion, { channels, nextAt, now: now() })
  if (isOurs) log.warn({ leadId: lead.id, occasion, alerted: channels.length }, 'not answered yet')
  return isOurs
}
