import type { Channel, LeadEvent } from '../channels/channel-type.ts'
import { channels, findChannel, listDestinations } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { readReason } from '../delivery-reason.ts'
import { isOpen } from '../hours.ts'
import type { DeliveryPlan } from '../store/save-lead.ts'
import { computeFirstStepAt, listReminderMinutes } from './reminder-steps.ts'

/** Returns the names of the recipients to notify now. */
export async function planRecipients(
  context: Context,
  given: Pick<LeadEvent, 'lead' | 'reason'>,
  all: readonly Channel[] = channels,
): Promise<string[]> {
  const at = context.now()
  const event = { ...given, isOpen: isOpen(at, context.hours()) }
  const { kind } = readReason(event.reason)
  const { promiseStartAt } = event.lead
  // Reminders of a planned call and questions about a result may be sent while we are closed: a homeowner may have
  // asked for that time, or the call was about an emergency.
  const hasOwnTime = kind === 'again' || kind === 'unresolved'
  const mayWake = promiseStartAt !== null && (hasOwnTime || at >= promiseStartAt)
  const planned = all.filter(
    ({ reasons, wakesPhones }) => reasons.includes(kind) && (mayWake || !wakesPhones),
  )
  const found = await Promise.all(
    planned.map(async (channel) => {
      const destinations = await listDestinations(channel, context, event)
      return destinations.map((one) => ({ ...one, wakesPhones: channel.wakesPhones }))
    }),
  )
  const { callerEmail } = event.lead
  const callers = found.flat().filter(({ owner }) => owner !== undefined && owner === callerEmail)
  // Ask only the caller, who knows the result and was awake for the call.
  if (kind === 'unresolved' && callers.length > 0) return callers.map(({ name }) => name)
  const wakesOne = found.flat().some(({ wakesPhones, isOffDuty }) => wakesPhones && !isOffDuty)
  return found.flat().flatMap(({ name, isOffDuty }) => (wakesOne && isOffDuty ? [] : [name]))
}

/** Returns the recipients for a new lead, and the time of its first step. */
export async function planDelivery(
  context: Context,
  lead: LeadEvent['lead'],
  { isCalled = false }: { isCalled?: boolean } = {},
): Promise<DeliveryPlan> {
  // The lead needs either an alert now or a step when we open. If we open while this runs, reading the clock twice
  // could give it neither.
  const at = context.now()
  // Do not alert the crew about a lead that someone is calling.
  const all = isCalled ? channels.filter(({ isAlert }) => !isAlert) : channels
  const recipients = await planRecipients(
    { ...context, now: () => at },
    { lead, reason: 'received' },
    all,
  )
  const limited = recipients.filter((name) => findChannel(name)?.isLimited)
  const { promiseStartAt, deadlineAt } = lead
  if (promiseStartAt === null || deadlineAt === null) return { recipients, limited }
  const promise = { promiseStartAt, deadlineAt }
  return {
    recipients,
    limited,
    stepAt: computeFirstStepAt(promise, listReminderMinutes(promise, context), at),
  }
}
