import * as v from 'valibot'
import type { Result } from '../channel.ts'
import { explainBrokenCall } from '../network-error.ts'
import type { Alert } from './alert.ts'
import { isTextRefused } from './refusal.ts'

/** `from`: a number, or a messaging service (MG…). */
type TwilioSettings = { accountSid: string; authToken: string; from: string; apiUrl: string }

const requestTimeoutMs = 15_000
// Two long messages: what a phone shows without a tap, and what an alert may cost.
const maxLength = 320

export async function sendSms(
  alert: Alert,
  to: string,
  { accountSid, authToken, from, apiUrl }: TwilioSettings,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<Result> {
  const url = `${apiUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        To: to,
        ...(from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }),
        Body: formatSms(alert),
      }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    })
    const { status } = response
    if (status === 200 || status === 201) {
      // Twilio has taken the message, even if the rest of its answer is cut off.
      await response.body?.cancel().catch(() => {})
      return { ok: true }
    }
    const code = readCode(await response.text())
    return { ok: false, error: explainRefusal(status, code), refused: isTextRefused(status, code) }
  } catch (error) {
    return { ok: false, error: explainBrokenCall('Twilio', error) }
  }
}

const errorSchema = v.object({ code: v.number() })

const advice: Record<number, string> = {
  20003: 'check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN',
  20404: 'check TWILIO_ACCOUNT_SID',
  20429: 'it asks to slow down',
  21211: 'a number of ALERT_SMS_TO or ESCALATION_SMS_TO does not exist',
  21212: 'check TWILIO_FROM',
  21606: 'TWILIO_FROM cannot send text messages',
  21608: 'a trial account sends to verified numbers only',
  21610: 'the receiver has answered STOP and must answer START',
}

/** Twilio's messages quote phone numbers: only the code is kept. */
function readCode(text: string): number | undefined {
  try {
    return v.parse(errorSchema, JSON.parse(text)).code
  } catch {
    return undefined
  }
}

function explainRefusal(status: number, code: number | undefined): string {
  if (code === undefined) return `Twilio answered ${status}.`
  const meaning = advice[code]
  return `Twilio answered ${status}, code ${code}${meaning ? `: ${meaning}` : ''}.`
}

/** Name and address are cut before a link would be: half a link is none. */
export function formatSms(alert: Alert): string {
  const { name, headline, service, address, callUrl, mapUrl, answerUrl, remarks } = alert
  const shortName = cut(name, 40)
  const head = headline.replace(name, () => shortName)
  const call = `Call ${callUrl.slice('tel:'.length)}.`
  const answer = answerUrl
    ? `I am calling: ${answerUrl}`
    : 'Calling? Set Status in Airtable to Called.'
  const late = remarks.length > 0 ? [cut(remarks.join(' '), 60)] : []
  const fixed = [`${head}.`, `${service}.`, call, answer, ...late]
  const left = maxLength - fixed.join(' ').length - 1
  const place = left > 8 ? [`${cut(address, Math.min(left - 1, 90))}.`] : []
  const write = (...map: string[]) =>
    [`${head}.`, ...late, `${service}.`, ...place, ...map, call, answer].join('\n')
  // The phone makes a map link of an address by itself; ours is there when it fits.
  const withMap = write(mapUrl)
  return withMap.length <= maxLength ? withMap : write()
}

const cut = (text: string, length: number) =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trimEnd()}…`
