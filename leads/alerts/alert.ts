import type { Occasion } from '../channel.ts'
import { promiseMs, type StoredLead, serviceTypes } from '../lead.ts'
import { makeSafe } from '../safe-text.ts'
import { describeSource } from '../source.ts'
import { formatClock, formatDuration, formatLeft } from './clock.ts'
import { readPhone } from './phone.ts'

export type Alert = ReturnType<typeof describeAlert>

// Below this nobody would call an alert late.
const lateMs = 2 * 60_000

/** What staff are told about a lead, in words that are safe wherever they are shown. */
export function describeAlert(
  lead: StoredLead,
  occasion: Occasion,
  { now, timeZone, answerUrl }: { now: number; timeZone: string; answerUrl?: string | undefined },
) {
  const { id: leadId, serviceType, suspect, receivedAt, answeredAt } = lead
  const isEmergency = serviceType === 'emergency'
  const deadlineAt = receivedAt + promiseMs
  const ageMs = now - receivedAt
  const name = defuse(lead.name)
  const address = tidy(lead.address)
  const { shown: phone, callUrl } = readPhone(tidy(lead.phone))
  const clock = (at: number) => formatClock(at, { now, timeZone })

  const describeNeed = (): string => {
    if (answeredAt !== null) return `${name} is being called since ${clock(answeredAt)}`
    if (occasion !== 'received' && now >= deadlineAt)
      return `promise missed: nobody called ${name} within ${promiseMs / 60_000} minutes`
    if (occasion !== 'received')
      return `nobody has called ${name} yet: ${formatLeft(deadlineAt - now)}`
    if (now >= deadlineAt) return `call ${name} now: asked ${formatDuration(ageMs)} ago`
    return `call ${name} by ${clock(deadlineAt)}`
  }
  const describeHeadline = (need: string): string => {
    if (isEmergency) return `EMERGENCY${suspect ? ' (suspect)' : ''}: ${need}`
    return suspect ? `Suspect: ${need}` : need.slice(0, 1).toUpperCase() + need.slice(1)
  }

  return {
    /** The same however often it is sent. No dot: the webhook's signature joins its parts with dots. */
    id: `${leadId}_${occasion.replace('.', '_')}`,
    leadId,
    /** `test`: by the owner, of the channel. */
    occasion: occasion as Occasion | 'test',
    isEmergency,
    headline: describeHeadline(describeNeed()),
    name,
    service: serviceType ? serviceTypes[serviceType] : 'Service not said',
    address: defuse(address),
    phone,
    receivedAt: clock(receivedAt),
    deadline: clock(deadlineAt),
    source: lead.source ? defuse(describeSource(lead.source)) : undefined,
    remarks: [
      ...(suspect ? ['This request looks like a robot’s. Nobody is reminded of it.'] : []),
      ...(occasion === 'received' && ageMs >= lateMs
        ? [`This alert is late: the request came ${formatDuration(ageMs)} ago.`]
        : []),
    ],
    callUrl,
    mapUrl: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address)}`,
    /** None: this home cannot show the page. */
    answerUrl,
  }
}

const tidy = (text: string) => makeSafe(text).replace(/\s+/g, ' ').trim()

/**
 * Mail and message apps make links of whatever looks like an address: a "name" such as
 * evil.example/pay would be one tap away. With a space after its dots and colons it is plain text.
 */
export const defuse = (text: string): string =>
  tidy(text)
    .replace(/([.:\u3002\uFF0E\uFF61\uFF1A])(?=[^\s,;)])/g, '$1 ')
    .replace(/[/\\]{2,}/g, '/')
