import type { Channel, LeadEvent } from '../channels/channel.ts'
import { type ChannelContext, channels, findNames } from '../channels/channels.ts'
import { readReason } from '../delivery-reason.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'

export async function planRecipients(
  context: ChannelContext,
  event: LeadEvent,
  all: readonly Channel[] = channels,
): Promise<string[]> {
  const { kind } = readReason(event.reason)
  const planned = all.filter(({ reasons }) => reasons.includes(kind))
  const names = await Promise.all(planned.map((channel) => findNames(channel, context, event)))
  return names.flat()
}

/** Returns the channels for a new lead and the time of its first reminder. */
export async function planDelivery(
  context: ChannelContext,
  lead: LeadEvent['lead'],
): Promise<{ channels: string[]; escalateAt?: number }> {
  const names = await planRecipients(context, { lead, reason: 'received' })
  if (lead.deadlineAt === null) return { channels: names }
  const { escalateAfterMinutes } = context.env
  return {
    channels: names,
    escalateAt: computeFirstReminderAt(lead.deadlineAt, escalateAfterMinutes),
  }
}
