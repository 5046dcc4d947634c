import { serviceTypes } from './lead.ts'
import { promiseMs } from './promise.ts'
import { describeSource } from './source.ts'
import type { Occasion, StoredLead } from './store.ts'

/** What staff are told about a lead, in words that are safe wherever they are shown. */
export type Alert = {
  /** The same however often it is sent, so that receivers can tell a repeat. */
  id: string
  leadId: string
  /** `test`: by the owner, of the channel. */
  occasion: Occasion | 'test'
  isEmergency: boolean
  headline: string
  name: string
  service: string
  address: string
  phone: string
  receivedAt: string
  deadline: string
  /** Where the homeowner came from, if anything is known. */
  source: string | undefined
  /** What else to know: that the lead looks like a robot's, that the alert is late, who is calling. */
  remarks: string[]
  callUrl: string
  mapUrl: string
  /** None: this home cannot show the page. */
  answerUrl: string | undefined
}

export type AlertOptions = {
  now: number
  timeZone: string
  answerUrl?: string | undefined
}

// Below this nobody would call an alert late.
const lateMs = 2 * 60_000

export function describeAlert(
  lead: StoredLead,
  occasion: Occasion,
  { now, timeZone, answerUrl }: AlertOptions,
): Alert {
  const { id: leadId, serviceType, suspect, receivedAt, answeredAt } = lead
  const isEmergency = serviceType === 'emergency'
  const deadlineAt = receivedAt + promiseMs
  const ageMs = now - receivedAt
  const name = defuse(lead.name)
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
  const need = describeNeed()

  return {
    // No dot: the webhook's signature joins its parts with dots.
    id: `${leadId}_${occasion.replace('.', '_')}`,
    leadId,
    occasion,
    isEmergency,
    headline: isEmergency
      ? `EMERGENCY${suspect ? ' (suspect)' : ''}: ${need}`
      : suspect
        ? `Suspect: ${need}`
        : need.slice(0, 1).toUpperCase() + need.slice(1),
    name,
    service: serviceType ? serviceTypes[serviceType] : 'Service not said',
    address: defuse(lead.address),
    phone: formatPhone(lead.phone),
    receivedAt: clock(receivedAt),
    deadline: clock(deadlineAt),
    source: lead.source ? defuse(describeSource(lead.source)) : undefined,
    remarks: [
      ...(suspect ? ['This request looks like a robot’s. Nobody is reminded of it.'] : []),
      ...(occasion === 'received' && ageMs >= lateMs
        ? [`This alert is late: the request came ${formatDuration(ageMs)} ago.`]
        : []),
    ],
    callUrl: `tel:${findDialable(lead.phone)}`,
    mapUrl: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(tidy(lead.address))}`,
    answerUrl,
  }
}

// Control, direction and other unseen characters can end a header or disguise what stands there.
// The joiners that emoji and Persian need may stay.
const tidy = (text: string) =>
  text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}--[\u200C\u200D]]/gv, '')
    .replace(/\s+/g, ' ')
    .trim()

/**
 * Mail and message apps make links of whatever looks like an address: a "name" such as
 * evil.example/pay would be one tap away. With a space after its dots and colons it is plain text.
 */
export const defuse = (text: string): string =>
  tidy(text)
    .replace(/([.:\u3002\uFF0E\uFF61\uFF1A])(?=[^\s,;)])/g, '$1 ')
    .replace(/[/\\]{2,}/g, '/')

const asciiDigits = (text: string) =>
  text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    // The digits of every script stand in a row, from nought to nine.
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1
    return String(code - zero)
  })

const splitExtension = (phone: string) => {
  const text = asciiDigits(tidy(phone))
  const [, number = text, extension] =
    text.match(/^(.*?\d.*?)\s*(?:extension|ext|x|#)\.?\s*(\d{1,6})$/i) ?? []
  return { number, extension }
}

const formatPhone = (phone: string): string => {
  const { number, extension } = splitExtension(phone)
  const shown = number
    .replace(/[^\d+()\- ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return extension ? `${shown} ext ${extension}` : shown
}

/** Digits, and a plus in front if there was one: nothing else can be in the link. */
const findDialable = (phone: string): string => {
  const { number } = splitExtension(phone)
  return (/^\s*\(?\+/.test(number) ? '+' : '') + number.replace(/\D/g, '')
}

// A formatter holds tens of kilobytes outside JavaScript's heap, where the garbage collector does not
// see them: made for every alert, they added up to 900 MB. The owner has one time zone.
const formats = new Map<string, ReturnType<typeof makeFormats>>()
function makeFormats(timeZone: string) {
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone })
  const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  return {
    day: make({ dateStyle: 'short' }),
    today: make(time),
    otherDay: make({ month: 'short', day: 'numeric', ...time }),
  }
}

export function formatClock(
  at: number,
  { now, timeZone }: { now: number; timeZone: string },
): string {
  const { day, today, otherDay } = formats.get(timeZone) ?? makeFormats(timeZone)
  formats.set(timeZone, { day, today, otherDay })
  const format = day.format(at) === day.format(now) ? today : otherDay
  return format.format(at).replace(/\s/g, ' ')
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/** As long as a person would say it: 40 seconds, 3 minutes 20 seconds, 25 minutes, 3 hours, 2 days. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return count(seconds, 'second')
  if (seconds < 600) {
    const rest = seconds % 60
    const minutes = count(Math.floor(seconds / 60), 'minute')
    return rest ? `${minutes} ${count(rest, 'second')}` : minutes
  }
  if (seconds < 5_400) return count(Math.round(seconds / 60), 'minute')
  if (seconds < 36 * 3_600) return count(Math.round(seconds / 3_600), 'hour')
  return count(Math.round(seconds / 86_400), 'day')
}

const formatLeft = (ms: number): string =>
  ms < 60_000 ? 'less than a minute left' : `${count(Math.round(ms / 60_000), 'minute')} left`
