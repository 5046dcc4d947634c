import { expect, it } from 'vitest'
import { jane, makeStranger, testTime } from '#testing/saved-leads.ts'
import type { Lead } from './fields.ts'
import { isSameHomeowner, makeHomeownerKeys, repeatMs } from './repeats.ts'

type Changes = Partial<Lead & { id: string; receivedAt: number; suspect: string }>

const makeRequest = (changes: Changes) => {
  const request = { id: 'a', receivedAt: testTime, suspect: null, ...jane, ...changes }
  return { ...request, ...makeHomeownerKeys(request) }
}
const isSame = (changes: Changes, first: Changes = {}) =>
  isSameHomeowner(makeRequest(first), makeRequest({ id: 'b', ...changes }))
const otherAddress = { address: '9 Elm St, Springfield' }
const otherName = { name: 'Bob Roe' }

it.each<[string, Changes]>([
  ['the same request', {}],
  ['another way to write the number', { phone: '+1 555.123.4567 x12', email: '' }],
  ['another address of the mailbox', { phone: '', email: 'J.ane+roof@Example.com' }],
  ['the same name at another address', otherAddress],
  ['the same address and another name', otherName],
  ['another way to write the name', { ...otherAddress, name: '  jane   DOE' }],
  [
    'another way to write the address',
    { ...otherName, address: '123 Main St. Springfield IL 62701' },
  ],
  ['only a phone number, written down during a call', { name: '', address: '', email: '' }],
  ['a request six days later', { receivedAt: testTime + repeatMs }],
])('finds %s', (_, changes) => {
  expect(isSame(changes)).toBe(true)
})

it.each<[string, Changes]>([
  ['itself', { id: 'a' }],
  ['another homeowner with the same name and address', makeStranger()],
  ['a neighbor who shares the phone', { ...otherName, ...otherAddress }],
  ['suspected spam', { suspect: 'trap' }],
  ['a request eight days later', { receivedAt: testTime + repeatMs + 1 }],
])('leaves out %s', (_, changes) => {
  expect(isSame(changes)).toBe(false)
})

it('compares names in other scripts', () => {
  const names = ['山田太郎', 'Иван Петров', 'محمد علي', '김철수', 'José']
  for (const name of names) {
    expect(isSame({ name, ...otherAddress }, { name })).toBe(true)
    expect(isSame({ name, ...otherAddress }, { name: `${name}x` })).toBe(false)
  }
  const spellings = [
    ['José', 'jose'],
    ['ИВАН ПЕТРОВ', 'Иван Петров'],
    ['ΓΙΩΡΓΟΣ', 'Γιώργος'],
    ['김철수'.normalize('NFD'), '김철수'],
    ['Weiß', 'WEISS'],
    ['Ｊａｎｅ', 'Jane'],
  ]
  for (const [name = '', other = ''] of spellings)
    expect([name, isSame({ name, ...otherAddress }, { name: other })]).toEqual([name, true])
})

it('does not join two homeowners because both left out the same field', () => {
  const noNumber = { phone: '' }
  expect(isSame({ ...noNumber, email: 'bob@example.com' }, noNumber)).toBe(false)
  expect(isSame({ name: '', ...otherAddress }, { name: '' })).toBe(false)
})
