import { Buffer } from 'node:buffer'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { ChannelSettings } from '../settings.ts'
import { type Alert, describeLeads } from './alert.ts'
import { type Arrival, nameRecipients, type Result } from './channel-type.ts'
import { createAlertChannel, makeAnswerUrl } from './create-alert-channel.ts'
import { findRetryAfter, isLeadRefused, post } from './service-call.ts'

type SmsSettings = NonNullable<ChannelSettings['sms']>

export const sms = createAlertChannel<'sms'>({
  kind: 'sms',
  label: 'Text message',
  setupHint: 'texts (TWILIO_… and ALERT_SMS_TO)',
  wakesPhones: true,
  reasons: ['received', 'uncalled', 'missed', 'again', 'unresolved'],
  recipients: async ({ settings: { to, remindTo } }, event) => {
    if (!event) return nameRecipients('sms', [...to, ...remindTo])
    return nameRecipients('sms', event.reason === 'received' ? to : remindTo)
  },
  sendAlert: ({ alert, to }, context, signal) => sendSms(formatSms(alert), to, context, signal),
  sendSummary: async (_, { leads, isBurst }, { to }, context, signal) => {
    const { env, hours, now } = context
    const { timeZone } = hours()
    const { headline, names, first } = describeLeads(leads, { now: now(), timeZone })
    const answerUrl = env.desk || !first ? undefined : await makeAnswerUrl(first.id, context)
    const answer = env.desk
      ? `Call them from the desk: ${env.desk.url}`
      : answerUrl
        ? `I'm calling ${cut(names[0] ?? '', 30)}: ${answerUrl}`
        : 'Calling? Set Status in Airtable to Called.'
    const shortNames = names.map((name) => cut(name, 30)).join(', ')
    const origin = isBurst ? ', many from one internet connection' : ''
    const text = `${headline}${origin}.\n${shortNames}.\n${answer}`
    return sendSms(fitText([text]), to, context, signal)
  },
  findArrival,
})

const locate = ({ apiUrl, accountSid }: SmsSettings, path: string) =>
  `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/${path}.json`

const authorize = ({ accountSid, authToken }: SmsSettings) => ({
  authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
})

async function sendSms(
  text: string,
  to: string,
  { settings, ...deps }: Pick<Context, 'fetch' | 'timers'> & { settings: SmsSettings },
  signal: AbortSignal,
): Promise<Result> {
  const { from } = settings
  const body = new URLSearchParams({
    To: to,
    ...(from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }),
    Body: text,
  })
  const request = { headers: authorize(settings), body }
  const response = await post('Twilio', locate(settings, 'Messages'), request, { ...deps, signal })
  if ('error' in response) return response
  const { status } = response
  const { sid, code } = v.parse(replySchema, await response.json().catch(() => undefined))
  // Twilio has accepted the message, even if the response body is cut off.
  if (status === 200 || status === 201) return { ok: true, ...(sid && { messageId: sid }) }
  const refused = isLeadRefused(status) && !senderCodes.includes(code)
  return { ok: false, error: explainRefusal(status, code), refused, ...findRetryAfter(response) }
}

// Leave out Twilio's error messages, because they may contain phone numbers.
const replySchema = v.fallback(
  v.object({ sid: v.optional(v.string()), code: v.optional(v.number()) }),
  {},
)

const checkTimeoutMs = 10_000

/** After any error, returns `unknown`, so the next check asks again. */
async function findArrival(
  messageId: string,
  { settings, fetch, timers }: Pick<Context, 'fetch' | 'timers'> & { settings: SmsSettings },
  signal: AbortSignal,
): Promise<Arrival> {
  try {
    const response = await fetch(locate(settings, `Messages/${encodeURIComponent(messageId)}`), {
      headers: authorize(settings),
      redirect: 'manual',
      signal: AbortSignal.any([signal, timers.timeout(checkTimeoutMs)]),
    })
    const { status, error_code: code } = v.parse(statusSchema, await response.json())
    if (['delivered', 'read'].includes(status)) return { state: 'arrived' }
    if (['undelivered', 'failed', 'canceled'].includes(status))
      return { state: 'failed', error: explainUndelivered(Number(code)) }
  } catch {}
  return { state: 'unknown' }
}

// Twilio's errors do not match, because their `status` is a number.
const statusSchema = v.object({ status: v.string(), error_code: v.unknown() })

/** For the owner: why Twilio rejected a text (10001 to 21610) or could not deliver it, and what to do. */
const advice: Record<number, string> = {
  10001: 'Your Twilio account has no credit or is suspended. Add credit in the Twilio console.',
  20003:
    'Twilio rejected the site’s account ID or token. Check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
  20404: 'Twilio doesn’t know the site’s account ID. Check TWILIO_ACCOUNT_SID.',
  20429: 'Too many texts were sent in a short time.',
  21211: 'A recipient’s phone number isn’t valid. Check ALERT_SMS_TO and ESCALATION_SMS_TO.',
  21212: 'The site’s Twilio number is wrong. Check TWILIO_FROM.',
  21606: 'The site’s Twilio number can’t send texts. Check TWILIO_FROM.',
  21608: 'A Twilio trial account can text only verified numbers. Upgrade it in the Twilio console.',
  21610: 'The recipient replied STOP. To get texts again, reply START from that phone.',
  30002: 'Your Twilio account has no credit or is suspended. Add credit in the Twilio console.',
  30003: 'The phone is off or out of range. Check that it can receive texts.',
  30004: 'The phone or its carrier blocks texts from your Twilio number. Allow them on the phone.',
  30005: 'The phone number isn’t in service. Check the number.',
  30006: 'The phone number is a landline or can’t receive texts. Use a cell phone number.',
  30007: 'The carrier blocked the text as spam. Ask Twilio support to review it.',
  30032: 'Your toll-free Twilio number isn’t verified. Verify it in the Twilio console.',
  30033: 'Your registration with US carriers is suspended. Contact Twilio support.',
  30034:
    'Your Twilio number isn’t registered with US carriers (10DLC). Register it in the Twilio console.',
}

const explainUndelivered = (code: number): string =>
  code ? `${advice[code] ?? ''} Twilio error code ${code}.`.trim() : 'Twilio gave no reason.'

// Codes for a missing, invalid, or unsuitable TWILIO_FROM, for which Twilio also returns 400.
const senderCodes: readonly unknown[] = [21603, 21212, 21606]

function explainRefusal(status: number, code: number | undefined): string {
  if (code === undefined) return `Twilio returned ${status}.`
  return `${advice[code] ?? ''} Twilio returned ${status}, code ${code}.`.trim()
}

/** Shortens and simplifies what the homeowner typed, but never a link. */
export const formatSms = (alert: Alert): string => fitText(listTexts(alert))

function fitText(texts: readonly string[]): string {
  const shorter = [plainPunctuation, simplify].flatMap((shorten) => texts.map(shorten))
  return shorter.find(fitsTwoSegments) ?? shorter.at(-1) ?? ''
}

/**
 * Returns versions of the message, longest first. Drops the map link first, because phones turn street addresses into
 * links.
 */
function listTexts(alert: Alert): string[] {
  const { name, headline, service, address, callUrl, mapUrl, answer: link, remarks } = alert
  const email = alert.rows.find((row) => row.name === 'email')?.text
  const shortName = cut(name, 40)
  const head = `${headline.replace(name, () => shortName)}${headline.endsWith('?') ? '' : '.'}`
  const call = callUrl ? `Call ${callUrl.slice('tel:'.length)}.` : `Email ${email}`
  const answer = link.url ? `${link.label}: ${link.url}` : link.shortHint
  const late = remarks.length > 0 ? [cut(remarks.join(' '), 60)] : []
  const write = (...place: string[]) =>
    [head, ...late, `${service}.`, ...place, call, answer].join('\n')
  const places = [90, 60, 40, 20].map((length) => `${cut(address, length)}.`)
  if (!mapUrl) return [write()]
  return [write(places[0] ?? '', mapUrl), ...places.map((place) => write(place)), write()]
}

const cut = (text: string, length: number) => {
  if (text.length <= length) return text
  const start = text.slice(0, length - 3).replace(/[\uD800-\uDBFF]$/, '')
  return `${start.trimEnd()}...`
}

const plainPunctuation = (text: string) =>
  text
    .replace(/[‘’`´]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/…/g, '...')
    .replace(/[–—]/g, '-')

const beyondGsm7 = /[^\n\r @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!-#¤%-?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]+/u
const doubleInGsm7 = /[\^{}\\[~\]|€]/g

/** Removes accents that are not in GSM-7, and replaces other text outside GSM-7 with a question mark. */
const simplify = (text: string) =>
  plainPunctuation(text.normalize('NFC')).replace(
    new RegExp(beyondGsm7, 'gu'),
    (letters) => letters.normalize('NFD').replace(/[^ -~]/g, '') || '?',
  )

/**
 * Carriers send and bill long messages in segments of 153 GSM-7 characters, or of 67 UTF-16 units if one
 * character is not in GSM-7. Phones show two segments without a tap. One unit stays free, because a
 * two-unit character cannot be split across segments.
 */
function fitsTwoSegments(text: string): boolean {
  if (beyondGsm7.test(text)) return text.length < 2 * 67
  return text.length + (text.match(doubleInGsm7)?.length ?? 0) < 2 * 153
}
