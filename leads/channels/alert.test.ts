import { describe, expect, it } from 'vitest'
import { promiseFrom, storedJane } from '#testing/saved-leads.ts'
import { noPromise } from '../deadline.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { StoredLead } from '../lead.ts'
import { minuteMs } from '../time-units.ts'
import { breakAutoLinks, describeAlert } from './alert.ts'
import { formatHtml, formatText } from './email-content.ts'
import { formatSms } from './sms.ts'

const receivedAt = Date.parse('2026-11-15T18:00:00Z')
const opensAfterMs = 19 * 60 * minuteMs
const night = promiseFrom(receivedAt + opensAfterMs)
const answerUrl = `https://www.example.com/answer/${'x'.repeat(48)}`

function alertOf(
  changed: Partial<StoredLead> = {},
  reason: DeliveryReason = 'received',
  afterMs = 1,
  isRepeat = false,
) {
  const options = { now: receivedAt + afterMs, timeZone: 'America/Chicago', answerUrl, isRepeat }
  const times = { receivedAt, ...promiseFrom(receivedAt) }
  return describeAlert({ ...storedJane, ...times, ...changed }, reason, options)
}

describe('the headline', () => {
  const overdue = 'all Jane Doe now: the call was due at 12:10 PM CST'
  const byEmail = 'Jane Doe now: a reply was due at 12:10 PM CST'
  const calledAt = receivedAt + 3 * minuteMs
  const afterOpening = (minutes: number) => opensAfterMs + minutes * minuteMs
  const again = {
    status: 'call-again' as const,
    calledAt,
    attempts: 2,
    callAgainAt: receivedAt + 33 * minuteMs,
  }
  // Someone other than the caller may have closed the request.
  const done = { status: 'done', caller: 'Sam' } as const
  it.each<[string, Partial<StoredLead>, DeliveryReason, number]>([
    ['Call Jane Doe by 12:10 PM CST', {}, 'received', 1],
    ['EMERGENCY: call Jane Doe by 12:10 PM CST', { serviceType: 'emergency' }, 'received', 1],
    ['Possible spam: call Jane Doe', { suspect: 'trap', ...noPromise }, 'received', 1],
    ['Nobody has called Jane Doe yet (6 minutes left)', {}, 'uncalled-4', 4 * minuteMs],
    ['Nobody has called Jane Doe yet (2 minutes left)', {}, 'uncalled-8', 8 * minuteMs],
    ['Nobody has called Jane Doe yet (less than a minute left)', {}, 'uncalled-8', 570_000],
    [`EMERGENCY: c${overdue}`, { serviceType: 'emergency' }, 'missed', 10 * minuteMs],
    // The content of a late reminder is up to date.
    [`C${overdue}`, {}, 'uncalled-8', 11 * minuteMs],
    ['Call Jane Doe now (requested 3 hours ago)', {}, 'received', 180 * minuteMs],
    ['Someone called Jane Doe at 12:03 PM CST', { calledAt }, 'received', 5 * minuteMs],
    ['Jane Doe was marked as not a lead', { calledAt, status: 'not-a-lead' }, 'received', 1],
    ['Jane Doe’s request was closed as done', { ...done, calledAt }, 'received', 1],
    ['Call Jane Doe again: no answer (2 tries)', again, 'again-2', 33 * minuteMs],
    ['Someone called Jane Doe at 12:03 PM CST', again, 'again-2', 32 * minuteMs],
    // These leads arrived while the company was closed.
    ['Call Jane Doe by Nov 16, 7:10 AM CST', night, 'received', 1],
    ['Nobody has called Jane Doe yet (6 minutes left)', night, 'uncalled-4', afterOpening(4)],
    ['Call Jane Doe now: the call was due at 7:10 AM CST', night, 'missed', afterOpening(10)],
    // These homeowners have no phone number.
    [`Email ${byEmail}`, { phone: '' }, 'missed', 10 * minuteMs],
    ['Nobody has emailed Jane Doe yet (6 minutes left)', { phone: '' }, 'uncalled-4', 4 * minuteMs],
    ['Someone emailed Jane Doe at 12:03 PM CST', { phone: '', calledAt }, 'received', 5 * minuteMs],
  ])('%s', (headline, changed, reason, afterMs) => {
    expect(alertOf(changed, reason, afterMs).headline).toBe(headline)
  })

  it('says “again” once about a homeowner who asked again and did not answer', () => {
    expect(alertOf(again, 'again-2', 33 * minuteMs, true).headline).toBe(
      'Repeat request: call Jane Doe again; no answer (2 tries)',
    )
  })
})

it('asks for the result of a call, without a deadline or an invitation to call', () => {
  const callAt = receivedAt + 3 * minuteMs
  const ask = (changes: Partial<StoredLead>, deskUrl?: string) => {
    const options = { now: receivedAt + 33 * minuteMs, timeZone: 'America/Chicago', isRepeat: true }
    const lead = { ...storedJane, receivedAt, status: 'calling' as const, ...changes }
    return describeAlert(lead, 'unresolved', { ...options, callAt, answerUrl, deskUrl })
  }
  const alert = ask({ caller: 'Sam' }, 'https://desk.example/#/lead/1')
  expect(alert.headline).toBe('Did Sam reach Jane Doe?')
  for (const message of [formatText(alert), formatHtml(alert), formatSms(alert)]) {
    expect(message).toContain('Sam called at 12:03 PM CST. What happened?')
    expect(message).toContain('Enter the result')
    expect(message).toContain('https://desk.example/#/lead/1')
    expect(message).not.toMatch(/calling|call by|\?\./i)
  }
  const inAirtable = ask({ serviceType: 'emergency' })
  expect(inAirtable.headline).toBe('EMERGENCY: did anyone reach Jane Doe?')
  for (const message of [formatText(inAirtable), formatSms(inAirtable)])
    expect(message).toMatch(
      /Someone called at.*set (the row’s )?Status in Airtable to the result/is,
    )
})

it('says who called without a result', () => {
  const noResult = { status: 'no-result', callAgainAt: receivedAt, caller: 'A.Be' } as const
  const read = (phone: string) => alertOf({ ...noResult, phone }, 'again-0').headline
  expect(read('1')).toBe('Call Jane Doe again: A. Be called but didn’t enter a result')
  expect(read('')).toBe('Email Jane Doe again: A. Be emailed but didn’t enter a result')
})

it('links to the digits of the phone number and to a map of the address', () => {
  const phones = {
    '(555) 123-4567': ['tel:5551234567', '(555) 123-4567'],
    '+1 555.123.4567': ['tel:+15551234567', '+1 555 123 4567'],
    '555-123-4567 ext. 89': ['tel:5551234567', '555-123-4567 ext 89'],
    '５５５ 1234567': ['tel:5551234567', '555 1234567'],
    '5551234567,;*#31#" onclick="x': ['tel:5551234567', '5551234567 ext 31'],
    'Tel.: +44 20 7946 0958, Extension: 7 (desk)': ['tel:+442079460958', '+44 20 7946 0958 ext 7'],
    'javascript:alert(1)//5551234567': ['tel:15551234567', '(1) 5551234567'],
  }
  for (const [phone, [url, shown]] of Object.entries(phones)) {
    expect(alertOf({ phone })).toMatchObject({ callUrl: url, phone: shown })
  }
  expect(alertOf({ address: '1 Main St #2 & "Co" <b>' }).mapUrl).toBe(
    'https://www.google.com/maps/search/?api=1&query=1%20Main%20St%20%232%20%26%20%22Co%22%20%3Cb%3E',
  )
})

it('shows the source in one line, if it is known', () => {
  const paid = alertOf({ source: 'utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs' })
  expect(formatText(paid)).toContain('\nSource: Google Ads · spring-roofs\n')
  expect(formatHtml(paid)).toContain('Google Ads · spring-roofs')
  for (const source of [null, '']) expect(formatText(alertOf({ source }))).not.toContain('Source:')
})

it('says “email” in the message about a homeowner without a phone number', () => {
  const alert = alertOf({ phone: '' })
  for (const message of [formatText(alert), formatHtml(alert), formatSms(alert)])
    expect(message).not.toMatch(/\bcall(ing|ed)?\b/i)
  expect(formatText(alert)).toMatch(/\nEmail by: 12:10 PM CST\n.*\nI’m emailing: https/s)
})

it('leaves ordinary names and addresses readable', () => {
  expect(breakAutoLinks('J.R. O’Neil Jr.')).toBe('J. R. O’Neil Jr.')
  expect(breakAutoLinks('12 St. Mary’s Ave., Apt. 4')).toBe('12 St. Mary’s Ave., Apt. 4')
  expect(breakAutoLinks('👩‍👩‍👧 Zoë 山田')).toBe('👩‍👩‍👧 Zoë 山田')
})

it('does not describe an alert as late if it waited until we opened', () => {
  const listRemarks = (afterMs: number) => alertOf(night, 'received', afterMs).remarks
  expect(listRemarks(opensAfterMs)).toEqual([])
  expect(listRemarks(opensAfterMs + 2 * minuteMs)).toHaveLength(1)
  // An alert that was emailed while we were closed can also be late.
  const late = 'This alert is late. The request came in 2 minutes ago.'
  expect(listRemarks(2 * minuteMs)).toEqual([late])
})
