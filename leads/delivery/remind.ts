import { isOwnStatus, listSetStatuses } from '../channels/airtable/send.ts'
import type { Channel } from '../channels/channel-type.ts'
import { type ChannelContext, channels } from '../channels/channels.ts'
import { computePromise } from '../deadline.ts'
import { appendEvent } from '../store/append-event.ts'
import {
  findNextReminderAt,
  listUncalled,
  type UncalledLead,
  writeReminder,
} from '../store/reminder-queue.ts'
import { acquireChannel, releaseChannel } from '../store/sender-leases.ts'
import { planRecipients } from './plan.ts'
import { computeCalledAt, computeNextReadAt, decideReminder } from './reminder-steps.ts'

// Each lead ID takes 55 characters of the URL, which Airtable limits to 16,000.
const leadsAtOnce = 50
const leaseMs = 30_000
const restMs = 250
const retryLeaseMs = 500
// After this, an unnecessary reminder is better than a late one.
const waitForAirtableMs = 5_000
const readLaterMs = 5 * 60_000

/**
 * Reminds staff of leads to call again, and of uncalled leads, unless someone has set their Status in Airtable.
 * Continues to check Airtable after the last reminder.
 */
export async function remindDue(
  context: ChannelContext,
  all: readonly Channel[] = channels,
): Promise<{ reminded: number; nextAt: number | undefined }> {
  const { db, now, log } = context
  const { airtable } = context.env
  const dueAt = await findNextReminderAt(db)
  if (dueAt === undefined || dueAt > now()) return { reminded: 0, nextAt: dueAt }

  const holder = context.makeId()
  const lease = { holder, now: now(), until: now() + leaseMs }
  const mayRead = airtable !== undefined && (await acquireChannel(db, 'airtable', lease))
  if (airtable && !mayRead && now() < dueAt + waitForAirtableMs)
    return { reminded: 0, nextAt: now() + retryLeaseMs }

  let reminded = 0
  let holdMs = restMs
  try {
    const leads = await listUncalled(db, now(), leadsAtOnce)
    let statuses = new Map<string, string>()
    const ids = leads
      .filter(({ pendingReason, status }) => !pendingReason && status === 'open')
      .map(({ id }) => id)
    if (mayRead && ids.length > 0) {
      const found = await listSetStatuses(ids, airtable, context)
      if ('error' in found) {
        // An unnecessary reminder costs less than a missed call.
        log.warn({ error: found.error }, 'cannot read Airtable; treating leads as not called')
        holdMs = Math.max(found.holdMs ?? 0, restMs)
      } else statuses = found
    }
    for (const lead of leads) {
      const status = statuses.get(lead.id)
      // Undo leaves a Status that only staff use as it is, so the same one is not another call.
      const isUndone = status === lead.undoneStatus && !isOwnStatus(status)
      if (status !== undefined && !isUndone) await recordStatus(lead, status)
      else if (await remind(lead)) reminded += 1
    }
  } finally {
    if (mayRead) await releaseChannel(db, 'airtable', holder, now() + holdMs)
  }
  return { reminded, nextAt: await findNextReminderAt(db) }

  async function recordStatus({ id, version, deadlineAt }: UncalledLead, text: string) {
    const event = {
      id: context.makeId(),
      at: computeCalledAt(deadlineAt, now()),
      kind: 'airtable-status',
      via: 'airtable',
      text,
      // From before the reading, so a lead that changed in the meantime stays as it is.
      version,
    } as const
    const { outcome } = await appendEvent(db, id, event, { now: now() })
    if (outcome === 'appended') log.info({ leadId: id }, 'called in Airtable')
  }

  async function remind(lead: UncalledLead): Promise<boolean> {
    const { escalateAfterMinutes } = context.env
    const { reason, nextAt } =
      lead.callAgainAt === null
        ? decideReminder(withReopening(lead), escalateAfterMinutes, now())
        : { reason: `again-${lead.attempts}` as const, nextAt: null }
    const names = reason ? await planRecipients(context, { lead, reason }, all) : []
    const escalation = { channels: names, nextAt: nextAt ?? decideNextReadAt(lead), now: now() }
    const isOurs = await writeReminder(db, lead, reason, escalation)
    if (!isOurs || !reason) return false
    log.warn({ leadId: lead.id, reason, alerted: names.length }, 'not called yet')
    return true
  }

  /** While the company is closed, reminders after an Undo start over when it next opens. */
  function withReopening(lead: UncalledLead) {
    const { reopenedAt, serviceType } = lead
    if (reopenedAt === null) return lead
    return {
      ...lead,
      reopenedAt: computePromise(reopenedAt, serviceType, context.hours()).promiseStartAt,
    }
  }

  function decideNextReadAt(lead: UncalledLead): number | null {
    if (!airtable || lead.status !== 'open') return null
    return mayRead ? computeNextReadAt(withReopening(lead), now()) : now() + readLaterMs
  }
}
