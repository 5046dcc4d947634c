import { type AirtableSettings, connect } from '../airtable/client.ts'
import { findRows } from '../airtable/rows.ts'
import { isTouched } from '../airtable/status.ts'
import type { Log } from '../log.ts'
import { acquireChannel, releaseChannel } from '../store/channel-leases.ts'
import type { PushDevice } from '../store/push-devices.ts'
import {
  escalateLead,
  findNextEscalationAt,
  listUnanswered,
  recordAnswer,
  type UnansweredLead,
} from '../store/reminders.ts'
import type { Database } from '../store/tables.ts'
import { listRinging } from './plan.ts'
import { computeAnsweredAt, decideReminder } from './reminder-steps.ts'

type ReminderOptions = {
  db: Database
  airtable: AirtableSettings | undefined
  /** The channels that hear when nobody has called. The devices that ring are looked up. */
  channels: readonly string[]
  readDevices: () => Promise<readonly PushDevice[]>
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
// A reminder may be this late because Airtable is busy. Later would cost more than it could save.
const waitForAirtableMs = 5_000

/** Reminds staff of leads that nobody has answered, unless Airtable's rows show that someone has. */
export async function remindDue(
  options: ReminderOptions,
): Promise<{ reminded: number; nextAt: number | undefined }> {
  const { db, airtable, now, log } = options
  const dueAt = await findNextEscalationAt(db)
  if (dueAt === undefined || dueAt > now()) return { reminded: 0, nextAt: dueAt }

  const holder = crypto.randomUUID()
  const lease = { holder, now: now(), until: now() + leaseMs }
  const mayRead = airtable !== undefined && (await acquireChannel(db, 'airtable', lease))
  if (airtable && !mayRead && now() < dueAt + waitForAirtableMs)
    return { reminded: 0, nextAt: now() + lookAgainMs }

  let reminded = 0
  let holdMs = restMs
  try {
    const leads = await listUnanswered(db, now(), leadsAtOnce)
    let answered = new Set<unknown>()
    if (mayRead && leads.length > 0) {
      const read = await readAnswers(leads, airtable, options)
      answered = read.answered
      holdMs = Math.max(read.holdMs, restMs)
    }
    for (const lead of leads)
      if (answered.has(lead.id)) {
        const answeredAt = computeAnsweredAt(lead.receivedAt, now())
        await recordAnswer(db, lead.id, { answeredAt, answeredBy: 'airtable', now: now() })
        log.info({ leadId: lead.id }, 'answered, says Airtable')
      } else if (await remind(lead, options)) reminded += 1
  } finally {
    if (mayRead) await releaseChannel(db, 'airtable', holder, now() + holdMs)
  }
  return { reminded, nextAt: await findNextEscalationAt(db) }
}

/**
 * The leads whose rows staff have given a Status of their own. None when Airtable cannot be read: a
 * needless reminder costs less than a missed promise.
 */
async function readAnswers(
  leads: readonly UnansweredLead[],
  airtable: AirtableSettings,
  { fetch, pause, log }: ReminderOptions,
): Promise<{ answered: Set<unknown>; holdMs: number }> {
  const ask = connect(airtable, { fetch, pause, requestTimeoutMs: readTimeoutMs })
  const ids = leads.map(({ id }) => id)
  const found = await findRows(ids, airtable, ask)
  if (found.kind === 'failed') {
    log.warn({ error: found.error }, 'reminders go out without a look at Airtable')
    return { answered: new Set(), holdMs: found.holdMs ?? 0 }
  }
  const answered = found.rows.filter(isTouched).map(({ fields }) => fields['Lead ID'])
  return { answered: new Set(answered), holdMs: 0 }
}

async function remind(
  lead: UnansweredLead,
  { db, channels: others, readDevices, escalateAfterMinutes, now, log }: ReminderOptions,
): Promise<boolean> {
  const { occasion, nextAt } = decideReminder(lead.receivedAt, escalateAfterMinutes, now())
  const isEmergency = lead.serviceType === 'emergency'
  const minutes = (now() - lead.receivedAt) / 60_000
  const devices = listRinging(await readDevices(), {
    minutes,
    isEmergency,
    now: now(),
  })
  const channels = [...others, ...devices]
  const isOurs = await escalateLead(db, lead, occasion, { channels, nextAt, now: now() })
  if (isOurs) log.warn({ leadId: lead.id, occasion, alerted: channels.length }, 'not answered yet')
  return isOurs
}
