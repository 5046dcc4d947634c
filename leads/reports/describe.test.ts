import { expect, it } from 'vitest'
import { storedJane, testTime } from '#testing/saved-leads.ts'
import { describeInFull } from './describe.ts'

it('describes a delivery by its channel, recipient, and reason', () => {
  const delivery = {
    ...{ state: 'sent' as const, attempts: 1, nextAttemptAt: 0, dueAt: testTime },
    ...{
      settledAt: testTime,
      lastError: null,
      note: null,
      checkAt: null,
      arrivedAt: null,
      tappedAt: null,
    },
  }
  const deliveries = [
    { ...delivery, channel: 'airtable', reason: 'received' as const },
    {
      ...{ ...delivery, dueAt: testTime + 240_000 },
      ...{ channel: 'push-0a1b2c3d', reason: 'unanswered-4' as const },
    },
    { ...delivery, channel: 'email', reason: 'unanswered-4' as const },
    { ...delivery, channel: 'sms-0a1b2c3d', reason: 'missed' as const },
    { ...delivery, channel: 'pigeon', reason: 'received' as const },
  ]
  const recipients = new Map([['push-0a1b2c3d', 'Sam’s phone']])
  const options = { now: testTime, timeZone: 'America/Chicago', recipients }
  const described = describeInFull({ ...storedJane, deliveries }, options).deliveries
  expect(described.map(({ what }) => what)).toEqual([
    'Airtable',
    'Push notification to Sam’s phone, reminder after 4 minutes',
    'Email, early reminder',
    'Text message, missed deadline',
    'pigeon',
  ])
})
