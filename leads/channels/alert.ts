import { type Clock, formatAt, formatClock, formatDuration, formatLeft } from '../clock.ts'
import { isDueAgain, measureWait } from '../deadline.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import { describeNews, explainNextCall } from '../describe-event.ts'
import { listForAlerts, makeMapUrl, readField, readName, readPhone } from '../field-outputs.ts'
import type { StoredLead } from '../lead.ts'
import { isClosed, readNeed } from '../lead-state.ts'
import { toOneLine } from '../safe-text.ts'
import { describeSource } from '../source.ts'
import { minuteMs } from '../time-units.ts'
import { capitalize, chooseWords, count } from '../words.ts'

export type Alert = ReturnType<typeof describeAlert>

const lateMs = 2 * minuteMs

export const spamRemark = 'This may be spam, so there are no reminders.'

type AlertOptions = Clock & {
  /** A later reminder after the same number of attempts has the same reason, but a higher revision. */
  revision?: number
  answerUrl?: string | undefined
  /** The time of the call that a question is about. */
  callAt?: number | undefined
  /** True if a request with the same phone number arrived within the week before. */
  isRepeat?: boolean
  /** The URL of the lead on the desk, where the crew enters the result of a call. */
  deskUrl?: string | undefined
}

/** Returns the content of an alert, in which apps find no links that the visitor typed. HTML still needs escaping. */
export function describeAlert(
  lead: StoredLead,
  reason: DeliveryReason,
  { now, timeZone, revision = 0, ...options }: AlertOptions,
) {
  const isQuestion = reason === 'unresolved'
  const isRepeat = options.isRepeat === true && !isQuestion
  const { id: leadId, serviceType, suspect, receivedAt, deadlineAt, calledAt } = lead
  const isEmergency = serviceType === 'emergency'
  const isAgain = isDueAgain(lead, now)
  const ageMs = now - receivedAt
  const name = breakAutoLinks(readName(lead))
  const address = toOneLine(lead.address)
  const { shown: phone = '', callUrl } = readPhone(toOneLine(lead.phone)) ?? {}
  const { call, called, due, calling } = chooseWords(lead)
  const clock = (at: number) => formatClock(at, { now, timeZone })

  const describeNeed = (): string => {
    if (isQuestion) return describeQuestion(lead, name)
    if (isAgain) return describeCallAgain(lead, name, isRepeat)
    if (isClosed(lead)) return describeUpdate(lead, name)
    if (calledAt !== null)
      return `someone ${called} ${name} ${formatAt(calledAt, { now, timeZone })}`
    if (deadlineAt === null) return `${call} ${name}`
    if (reason !== 'received' && now >= deadlineAt)
      return `${call} ${name} now: ${due} was due ${formatAt(deadlineAt, { now, timeZone })}`
    if (reason !== 'received')
      return `nobody has ${called} ${name} yet (${formatLeft(deadlineAt - now)})`
    if (now >= deadlineAt) return `${call} ${name} now (requested ${formatDuration(ageMs)} ago)`
    return `${call} ${name} by ${clock(deadlineAt)}`
  }
  const describeHeadline = (need: string): string => {
    if (isEmergency) return `EMERGENCY${suspect ? ' (possible spam)' : ''}: ${need}`
    if (isRepeat) return need
    return suspect ? `Possible spam: ${need}` : capitalize(need)
  }

  return {
    /** Stays the same for retries. Contains no dot, because dots separate the parts of a webhook's signature. */
    id: [leadId, reason.replace('.', '_'), ...(revision > 0 ? [revision] : [])].join('_'),
    leadId,
    /** Doctor sends `test`. */
    reason: reason as DeliveryReason | 'test',
    isEmergency,
    headline: `${isRepeat ? 'Repeat request: ' : ''}${describeHeadline(describeNeed())}`,
    name,
    rows: listForAlerts(lead).map((row) => ({ ...row, text: breakAutoLinks(row.text) })),
    service: readField(lead, 'serviceType') || 'No service chosen',
    address: breakAutoLinks(address),
    phone,
    receivedAt: clock(receivedAt),
    deadline: deadlineAt === null || isAgain || isQuestion ? undefined : clock(deadlineAt),
    source: lead.source ? breakAutoLinks(describeSource(lead.source)) : undefined,
    remarks: [
      ...(suspect && readNeed(lead) === 'first-call' ? [spamRemark] : []),
      ...(reason === 'received' && !isAgain && measureWait(lead, now) >= lateMs
        ? [`This alert is late. The request came in ${formatDuration(ageMs)} ago.`]
        : []),
      ...(isQuestion && options.callAt !== undefined
        ? [
            `${nameCaller(lead)} ${called} ${formatAt(options.callAt, { now, timeZone })}. What happened?`,
          ]
        : []),
    ],
    /** Undefined without a phone number. */
    callUrl,
    /** Undefined without an address. */
    mapUrl: makeMapUrl(address),
    answer: isQuestion
      ? {
          url: options.deskUrl,
          label: 'Enter the result',
          hint: options.deskUrl
            ? 'If nobody enters a result, the crew is asked to call again.'
            : 'Set the row’s Status in Airtable to the result, such as Done. Otherwise, the crew is asked to call again.',
          shortHint: 'Set Status in Airtable to the result.',
        }
      : {
          /** Undefined where we cannot serve HTML. */
          url: options.answerUrl,
          label: `I’m ${calling}`,
          hint: options.answerUrl
            ? `Open “I’m ${calling},” then press the button on that page. It tells the crew.`
            : `When you ${call}, set the row’s Status in Airtable to Called. This stops the reminders.`,
          shortHint: `${capitalize(calling)}? Set Status in Airtable to Called.`,
        },
  }
}

const nameCaller = ({ caller }: Pick<StoredLead, 'caller'>): string =>
  caller === null ? 'Someone' : breakAutoLinks(caller)

/** Uses “you” only on the caller’s own phone. */
export function describeQuestion(
  { caller }: Pick<StoredLead, 'caller'>,
  name: string,
  isCaller = false,
): string {
  return `did ${isCaller ? 'you' : caller === null ? 'anyone' : nameCaller({ caller })} reach ${name}?`
}

export const describeUpdate = (lead: StoredLead, name: string): string =>
  describeNews(lead, { name, caller: lead.caller && breakAutoLinks(lead.caller) })

/** A repeat gets a semicolon instead of a second colon, because it starts with “Repeat request:”. */
export function describeCallAgain(lead: StoredLead, name: string, isRepeat: boolean): string {
  const { call } = chooseWords(lead)
  const why = explainNextCall({ ...lead, caller: lead.caller && breakAutoLinks(lead.caller) })
  return `${call} ${name} again${isRepeat ? ';' : ':'} ${why}`
}

// Limit the names, because a push message has room for 4 kB, and a text for two segments.
const mostNames = 3

/** Describes several leads in one message, emergencies first. */
export function describeLeads(leads: readonly StoredLead[], { now, timeZone }: Clock) {
  const [emergencies = [], others = []] = [true, false].map((isEmergency) =>
    leads.filter(({ serviceType }) => (serviceType === 'emergency') === isEmergency),
  )
  const sorted = [...emergencies, ...others]
  const deadlineAt = Math.min(...leads.map((lead) => lead.deadlineAt ?? now))
  const by = now < deadlineAt ? `by ${formatClock(deadlineAt, { now, timeZone })}` : 'now'
  const total = `${leads.length} leads to call ${by}`
  return {
    headline:
      emergencies.length > 0
        ? `${count(emergencies.length, 'EMERGENCY', 'EMERGENCIES')} among ${total}`
        : total,
    names: [
      ...sorted.slice(0, mostNames).map((lead) => breakAutoLinks(readName(lead))),
      ...(leads.length > mostNames ? [`${leads.length - mostNames} more`] : []),
    ],
    /** The lead to call first. */
    first: sorted[0],
    deadlineAt,
    hasEmergency: emergencies.length > 0,
  }
}

/**
 * Mail and messaging apps turn a name such as evil.example/pay into a link. A space after each dot and colon prevents
 * this.
 */
export const breakAutoLinks = (text: string): string =>
  toOneLine(text)
    .replace(/([.:\u3002\uFF0E\uFF61\uFF1A])(?=[^\s,;)])/g, '$1 ')
    .replace(/[/\\]{2,}/g, '/')
