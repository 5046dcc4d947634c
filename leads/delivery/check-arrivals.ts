import type { Arrival, Channel } from '../channels/channel-type.ts'
import { type ChannelContext, findChannel, findSettings } from '../channels/channels.ts'
import { firstCheckMs } from '../store/deliveries.ts'
import {
  claimMessages,
  findNextCheckAt,
  listMessageLeads,
  type MessageLead,
  recordFailure,
  type SentMessage,
  updateMessage,
} from '../store/sent-messages.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'

// Counted from the time of sending. After the last check, the desk shows the message as "not confirmed".
const checksAfterMs = [firstCheckMs, 15_000, 60_000, 300_000]
const messagesAtOnce = 10
// Longer than a request's timeout, so that two processes do not ask about one message.
const leaseMs = 30_000

/**
 * Asks the services whether sent messages arrived. `isUrgent` means that a lead's first reminder is due
 * now, because its alerts did not arrive.
 */
export async function checkArrivals(
  context: ChannelContext,
  all: readonly Channel[],
  signal: AbortSignal,
): Promise<{ isUrgent: boolean; nextAt: number | undefined }> {
  const { db, now, log } = context
  const dueAt = await findNextCheckAt(db)
  if (dueAt === undefined || dueAt > now()) return { isUrgent: false, nextAt: dueAt }
  const lease = { now: now(), until: now() + leaseMs, limit: messagesAtOnce }
  const messages = await claimMessages(db, lease)
  const urgent = await Promise.all(messages.map(check))
  return { isUrgent: urgent.includes(true), nextAt: await findNextCheckAt(db) }

  async function check(message: SentMessage): Promise<boolean> {
    const { channel, sentAt } = message
    const arrival = await findArrival(message)
    if (arrival.state === 'failed') {
      const { error } = arrival
      const leads = await listMessageLeads(db, message)
      for (const { leadId } of leads)
        log.warn({ leadId, channel, error }, 'accepted, but not delivered')
      const reminders = leads.map((lead) => ({
        leadId: lead.leadId,
        firstReminderAt: computeReminderAt(lead),
      }))
      return recordFailure(db, message, error, { reminders, now: now() })
    }
    const hasArrived = arrival.state === 'arrived'
    // If the process stops before an answer, another process asks after the lease expires.
    if (!hasArrived && signal.aborted) return false
    const nextAt = checksAfterMs.map((ms) => sentAt + ms).find((at) => at > now()) ?? null
    const changes = hasArrived ? { arrived_at: now(), check_at: null } : { check_at: nextAt }
    await updateMessage(db.kysely, message, changes)
    return false
  }

  function computeReminderAt({ reason, promiseStartAt, deadlineAt }: MessageLead) {
    if (reason !== 'received' || promiseStartAt === null || deadlineAt === null) return null
    return computeFirstReminderAt({ promiseStartAt, deadlineAt }, context.env.escalateAfterMinutes)
  }

  async function findArrival({ channel: name, messageId }: SentMessage): Promise<Arrival> {
    const channel = findChannel(name, all)
    const settings = channel && findSettings(channel, context)
    if (!channel?.findArrival || settings === undefined) return { state: 'unknown' }
    return channel.findArrival(messageId, { ...context, settings }, signal)
  }
}
