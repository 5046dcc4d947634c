import type { Channel, LeadEvent } from '../channels/channel-type.ts'
import { type ChannelContext, channels, listDestinations } from '../channels/channels.ts'
import { readReason } from '../delivery-reason.ts'
import { isOpen } from '../hours.ts'
import type { DeliveryPlan } from '../store/save-lead.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'

/** Returns the names of the recipients to notify at a time, by default now. */
export async function planRecipients(
  context: Pick<ChannelContext, 'env' | 'hours' | 'now' | 'readDevices'>,
  { at = context.now(), ...given }: Pick<LeadEvent, 'lead' | 'reason'> & { at?: number },
  all: readonly Channel[] = channels,
): Promise<string[]> {
  const event = { ...given, isOpen: isOpen(at, context.hours()) }
  const { kind } = readReason(event.reason)
  const { promiseStartAt } = event.lead
  const mayWake = promiseStartAt !== null && at >= promiseStartAt
  const planned = all.filter(
    ({ reasons, wakesPhones }) => reasons.includes(kind) && (mayWake || !wakesPhones),
  )
  const found = await Promise.all(
    planned.map(async (channel) => {
      const destinations = await listDestinations(channel, context, event)
      return destinations.map((one) => ({ ...one, wakesPhones: channel.wakesPhones }))
    }),
  )
  const wakesOne = found.flat().some(({ wakesPhones, isOffDuty }) => wakesPhones && !isOffDuty)
  return found.flat().flatMap(({ name, isOffDuty }) => (wakesOne && isOffDuty ? [] : [name]))
}

/** Returns the channels for a new lead, now and when the company opens, and the time of its first reminder. */
export async function planDelivery(
  context: ChannelContext,
  lead: LeadEvent['lead'],
  { isCalled = false }: { isCalled?: boolean } = {},
): Promise<DeliveryPlan> {
  // Do not alert the crew to a lead that someone is calling.
  const all = isCalled ? channels.filter(({ isAlert }) => !isAlert) : channels
  const { promiseStartAt, deadlineAt } = lead
  const event = { lead, reason: 'received' as const, at: context.now() }
  const names = await planRecipients(context, event, all)
  if (promiseStartAt === null || deadlineAt === null) return { channels: names }
  const { escalateAfterMinutes } = context.env
  const later =
    promiseStartAt > event.at
      ? await planRecipients(context, { ...event, at: promiseStartAt }, all)
      : []
  return {
    channels: names,
    channelsAtOpening: later.filter((name) => !names.includes(name)),
    escalateAt: computeFirstReminderAt({ promiseStartAt, deadlineAt }, escalateAfterMinutes),
  }
}
