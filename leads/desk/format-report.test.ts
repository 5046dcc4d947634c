import { expect, it } from 'vitest'
import { nameChannel } from './format-report.ts'

it('has words for every kind of channel, and shows one it does not know as it is', () => {
  expect(nameChannel('push')).toBe('Ring')
  expect(nameChannel('escalation-sms')).toBe('Text, reminders')
  expect(nameChannel('pigeon')).toBe('pigeon')
})
