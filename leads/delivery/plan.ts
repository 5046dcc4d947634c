import type { Channel, LeadEvent } from '../channels/channel.ts'
import { type ChannelContext, channels, findNames } from '../channels/channels.ts'
import { findPromiseStart } from '../deadline.ts'
import { readReason } from '../delivery-reason.ts'
import { findShift } from '../hours.ts'
import type { DeliveryPlan } from '../store/save-lead.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'

/** Returns the names of the recipients to notify at a time, by default now. */
export async function planRecipients(
  context: ChannelContext,
  { at = context.now(), ...given }: Pick<LeadEvent, 'lead' | 'reason'> & { at?: number },
  all: readonly Channel[] = channels,
): Promise<string[]> {
  const event = { ...given, at, shift: findShift(at, context.hours) }
  const { kind } = readReason(event.reason)
  const planned = all.filter(({ reasons }) => reasons.includes(kind))
  const names = await Promise.all(planned.map((channel) => findNames(channel, context, event)))
  return names.flat()
}

/** Returns the channels for a new lead, now and at the opening, and the time of its first reminder. */
export async function planDelivery(
  context: ChannelContext,
  lead: LeadEvent['lead'],
): Promise<DeliveryPlan> {
  const event = { lead, reason: 'received' as const, at: context.now() }
  const channels = await planRecipients(context, event)
  if (lead.deadlineAt === null) return { channels }
  const { escalateAfterMinutes } = context.env
  const at = findPromiseStart(lead.deadlineAt)
  const later = at > event.at ? await planRecipients(context, { ...event, at }) : []
  return {
    channels,
    channelsAtOpening: later.filter((name) => !channels.includes(name)),
    escalateAt: computeFirstReminderAt(lead.deadlineAt, escalateAfterMinutes),
  }
}
