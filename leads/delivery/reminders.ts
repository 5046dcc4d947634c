import { findAnswered } from '../channels/airtable/send.ts'
import type { Channel } from '../channels/channel.ts'
import { type ChannelContext, channels } from '../channels/channels.ts'
import { acquireChannel, releaseChannel } from '../store/channel-leases.ts'
import {
  escalateLead,
  findNextEscalationAt,
  listUnanswered,
  recordAnswer,
  type UnansweredLead,
} from '../store/reminders.ts'
import { planRecipients } from './plan.ts'
import { computeAnsweredAt, computeNextReadAt, decideReminder } from './reminder-steps.ts'

// Each lead ID takes 55 characters of the URL, which Airtable limits to 16,000.
const leadsAtOnce = 50
const leaseMs = 30_000
const restMs = 250
const retryLeaseMs = 500
// After this, an unnecessary reminder is better than a late one.
const waitForAirtableMs = 5_000
const readLaterMs = 5 * 60_000

/**
 * Reminds staff of unanswered leads, unless someone has set their Status in Airtable, and of leads to call
 * again. Continues to check Airtable after the last reminder.
 */
export async function remindDue(
  context: ChannelContext,
  all: readonly Channel[] = channels,
): Promise<{ reminded: number; nextAt: number | undefined }> {
  const { db, now, log } = context
  const { airtable } = context.env
  const dueAt = await findNextEscalationAt(db)
  if (dueAt === undefined || dueAt > now()) return { reminded: 0, nextAt: dueAt }

  const holder = context.makeId()
  const lease = { holder, now: now(), until: now() + leaseMs }
  const mayRead = airtable !== undefined && (await acquireChannel(db, 'airtable', lease))
  if (airtable && !mayRead && now() < dueAt + waitForAirtableMs)
    return { reminded: 0, nextAt: now() + retryLeaseMs }

  let reminded = 0
  let holdMs = restMs
  try {
    const leads = await listUnanswered(db, now(), leadsAtOnce)
    let answered = new Set<unknown>()
    const ids = leads
      .filter(({ pendingReason, answeredAt }) => !pendingReason && answeredAt === null)
      .map(({ id }) => id)
    if (mayRead && ids.length > 0) {
      const found = await findAnswered(ids, airtable, context)
      if ('error' in found) {
        // An unnecessary reminder costs less than a missed call.
        log.warn({ error: found.error }, 'cannot read Airtable; treating leads as unanswered')
        holdMs = Math.max(found.holdMs ?? 0, restMs)
      } else answered = found
    }
    for (const lead of leads)
      if (answered.has(lead.id)) {
        const answeredAt = computeAnsweredAt(lead.deadlineAt, now())
        await recordAnswer(db, lead.id, { answeredAt, answeredBy: 'airtable', now: now() })
        log.info({ leadId: lead.id }, 'answered in Airtable')
      } else if (await remind(lead)) reminded += 1
  } finally {
    if (mayRead) await releaseChannel(db, 'airtable', holder, now() + holdMs)
  }
  return { reminded, nextAt: await findNextEscalationAt(db) }

  async function remind(lead: UnansweredLead): Promise<boolean> {
    const { escalateAfterMinutes } = context.env
    const { reason, nextAt } =
      lead.callAgainAt === null
        ? decideReminder(lead, escalateAfterMinutes, now())
        : { reason: `again-${lead.callAttempts}` as const, nextAt: null }
    const names = reason ? await planRecipients(context, { lead, reason }, all) : []
    const escalation = { channels: names, nextAt: nextAt ?? findNextReadAt(lead), now: now() }
    const isOurs = await escalateLead(db, lead, reason, escalation)
    if (!isOurs || !reason) return false
    log.warn({ leadId: lead.id, reason, alerted: names.length }, 'not answered yet')
    return true
  }

  function findNextReadAt(lead: UnansweredLead): number | null {
    if (!airtable || lead.answeredAt !== null) return null
    return mayRead ? computeNextReadAt(lead, now()) : now() + readLaterMs
  }
}
