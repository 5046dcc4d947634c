import { expect, it } from 'vitest'
import { kindOf, nameReceivers } from './receivers.ts'

const names = (receivers: string[]) => nameReceivers('email', receivers).map(({ name }) => name)

it('a channel is named by its receiver, wherever it stands in the list', () => {
  const [one, two] = names(['one@example.com', 'two@example.com'])
  expect(one).toMatch(/^email-[0-9a-f]{8}$/)
  expect(names(['Two@Example.com', 'one@example.com'])).toEqual([two, one])
})

it('the same receiver twice is one channel: a lead’s deliveries have one row each', () => {
  expect(names(['a@example.com', 'A@example.com', 'a@example.com'])).toHaveLength(1)
})

it('without its receiver a channel tells nobody whom it reaches', () => {
  const [{ name } = { name: '' }] = nameReceivers('escalation-sms', ['+15550002222'])
  expect(kindOf(name)).toBe('escalation-sms')
  for (const channel of ['airtable', 'webhook', 'email', 'email-2'])
    expect(kindOf(channel)).toBe(channel)
})
