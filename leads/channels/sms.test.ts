import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { testTime as receivedAt, storedJane } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { StoredLead } from '../lead.ts'
import { dayMs } from '../time-units.ts'
import { describeAlert } from './alert.ts'
import { formatSms, sms } from './sms.ts'

const answerUrl = `https://www.example.com/answer/${'x'.repeat(48)}`
const alertOf = (
  changed: Partial<StoredLead> = {},
  now = receivedAt + 1_000,
  reason: DeliveryReason = 'received',
) => {
  const options = { now, timeZone: 'America/Chicago', answerUrl }
  return describeAlert({ ...storedJane, ...changed }, reason, options)
}

async function open(errorCode?: number) {
  const clock = { at: receivedAt }
  const twilio = await startFakeTwilio({ now: () => clock.at, chooseErrorCode: () => errorCode })
  onTestFinished(() => twilio.close())
  const env = makeSettings({ ...twilio.env, ALERT_SMS_TO: '+15550002222' })
  const { context } = createTestContext(await openTestDatabase('sqlite'), env)
  const send = (signal = AbortSignal.timeout(10_000)) => sendThrough(sms, context, { signal })
  /** Asks Twilio about a message, by default the one that was sent last. */
  const findArrival = (messageId = twilio.messages.at(-1)?.sid ?? '', changes = {}) => {
    if (!env.sms) throw new Error('Text messages are not set up.')
    const signal = AbortSignal.timeout(10_000)
    return sms.findArrival?.(messageId, { ...context, settings: env.sms, ...changes }, signal)
  }
  return { clock, twilio, send, findArrival }
}

it('sends the phone number and the answer link', async () => {
  const { twilio, send } = await open()
  expect(await send()).toEqual({ ok: true, messageId: twilio.messages[0]?.sid })
  expect(twilio.messages).toMatchObject([{ to: '+15550002222', from: '+15550001111' }])
  expect(twilio.messages[0]?.body).toContain('Call 5551234567.')
  expect(twilio.messages[0]?.body).toContain("I'm calling: https://www.example.com/answer/")
})

// Errors about the account, the rate limit, or the sender affect all leads.
const retryAfter = { 'retry-after': '90' }
it.each([
  [
    { kind: 'error', status: 401, code: 20003 },
    /^Twilio rejected the site’s .*\. Check TWILIO_ACCOUNT_SID .*TWILIO_AUTH_TOKEN\..* 401, code 20003\.$/,
    { refused: false },
  ],
  [
    { kind: 'error', status: 400, code: 21211 },
    /^A recipient’s phone number isn’t valid\. Check ALERT_SMS_TO/,
    { refused: true },
  ],
  [
    { kind: 'error', status: 400, code: 21606 },
    /can’t send texts\. Check TWILIO_FROM\..*code 21606/,
    { refused: false },
  ],
  [
    { kind: 'error', status: 429, code: 20429, headers: retryAfter },
    /^Too many texts were sent .* Twilio returned 429, code 20429\./,
    { refused: false, retryAfterMs: 90_000 },
  ],
  [{ kind: 'html', status: 400 }, /^Twilio returned 400\.$/, { refused: true }],
  [{ kind: 'html', status: 502 }, /^Twilio returned 502\.$/, { refused: false }],
  [{ kind: 'refuse' }, /^Twilio couldn’t be reached/, {}],
] as const)('explains %j without a phone number', async (fault, error, more) => {
  const { twilio, send } = await open()
  twilio.nextFaults.push(fault)
  const result = await send()
  expect(result).toEqual({ ok: false, error: expect.stringMatching(error), ...more })
  expect(JSON.stringify(result)).not.toContain('555')
})

it('times out without a response', async () => {
  const { twilio, send } = await open()
  twilio.nextFaults.push({ kind: 'hang' })
  const error = 'Twilio didn’t respond in time.'
  expect(await send(AbortSignal.timeout(20))).toEqual({ ok: false, error })
})

it('treats a 201 with an incomplete body as sent', async () => {
  const { twilio, send } = await open()
  twilio.nextFaults.push({ kind: 'cut-answer' })
  expect(await send()).toEqual({ ok: true })
  expect(twilio.messages).toHaveLength(1)
})

it.each([
  [21610, /STOP.*START/],
  [30034, /isn’t registered with US carriers/],
  [30008, /^Twilio error code 30008\.$/],
])('explains the late error %i to the owner', async (code, explanation) => {
  const { clock, send, findArrival } = await open(code)
  await send()
  clock.at += 10_000
  const arrival = await findArrival()
  const error = arrival && 'error' in arrival ? arrival.error : ''
  expect(arrival?.state).toBe('failed')
  expect(error).toMatch(explanation)
  expect(error).toContain(`Twilio error code ${code}.`)
  // The owner sees this error, so it contains no variable names and no phone numbers.
  expect(error).not.toMatch(/_|555|\+1/)
})

describe('a text message', () => {
  it('includes the map link if everything fits into two segments', () => {
    expect(formatSms(alertOf({ address: '1 Main St' }))).toBe(
      [
        'Call Jane Doe by 6:10 AM CST.',
        'Roof Repair.',
        '1 Main St.',
        'https://www.google.com/maps/search/?api=1&query=1%20Main%20St',
        'Call 5551234567.',
        `I'm calling: ${answerUrl}`,
      ].join('\n'),
    )
  })

  const gsm7 = /^[\n\r @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!-#¤%-?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/
  const countUnits = (text: string) => text.length + (text.match(/[\^{}\\[~\]|€]/g)?.length ?? 0)

  it.each<Partial<StoredLead>>([
    { name: 'N'.repeat(100), address: 'A'.repeat(300) },
    { name: '{€}'.repeat(12), address: '1 Main St [rear] '.repeat(20) },
    { name: "$& $1 $'", address: '1 Main St, '.repeat(20) },
    { serviceType: 'emergency', suspect: 'trap', address: 'x'.repeat(200) },
    { name: 'Zoë “Zed” O’Brien…', address: '1 Calle Peñón' },
    { name: 'Pat O`Brien', address: '1 Main St' },
    { name: '👩‍👩‍👧'.repeat(12), address: '李'.repeat(300) },
  ])('fits into two segments and keeps its links: %j', (changed) => {
    for (const reason of ['received', 'uncalled-4', 'missed'] as const)
      for (const now of [receivedAt, receivedAt + dayMs]) {
        const sms = formatSms(alertOf(changed, now, reason))
        expect(sms).toMatch(gsm7)
        expect(countUnits(sms)).toBeLessThan(306)
        expect(sms).toContain(answerUrl)
        expect(sms).toContain('Call 5551234567.')
      }
  })

  it('keeps letters outside GSM-7 if they fit into two segments, and otherwise simplifies them', () => {
    const alert = alertOf({ name: 'Renée 李', address: '1 Main St' })
    const short = formatSms({
      ...alert,
      answer: { ...alert.answer, url: 'https://a.test/answer/x' },
    })
    expect(short).toContain('Call Renée 李 by')
    expect(short.length).toBeLessThan(134)
    expect(formatSms(alertOf({ name: 'Ana Hernández 李' }))).toContain('Call Ana Hernandez ? by')
  })
})
