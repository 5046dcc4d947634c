import { expect, test } from 'vitest'
import { makeLeads } from '#testing/airtable.ts'
import type { Refusal } from './client.ts'
import { columnNames } from './columns.ts'
import { type Attempt, decideNext } from './refusal.ts'

const [first, second] = makeLeads(2)
if (!first || !second) throw new Error('no leads')
const both: Attempt = { leads: [first, second], leftOut: [], typecast: false }
const one: Attempt = { ...both, leads: [first] }
const barest = columnNames.filter((name) => name !== 'Lead ID' && name !== 'Raw')

const again = (...attempts: Attempt[]) => ({ kind: 'again', attempts })
const singly = again(one, { ...one, leads: [second] })
const choice = { type: 'INVALID_MULTIPLE_CHOICE_OPTIONS' }
const value = { type: 'INVALID_VALUE_FOR_COLUMN' }
const missing = { type: 'UNKNOWN_FIELD_NAME' }

test.each<[string, Omit<Refusal, 'kind'>, Attempt, object]>([
  ['an option is missing: it is added', choice, both, again({ ...both, typecast: true })],
  ['it cannot be added: singly', choice, { ...both, typecast: true }, { kind: 'again' }],
  [
    'it cannot be added for this lead: without Service',
    choice,
    { ...one, typecast: true },
    again({ ...one, typecast: true, leftOut: ['Service'] }),
  ],
  [
    'a column is missing: for all leads at once',
    { ...missing, column: 'Address' },
    { ...both, leftOut: ['Name'] },
    again({ ...both, leftOut: ['Name', 'Address'] }),
  ],
  ['a value does not fit: singly', { ...value, column: 'Phone' }, both, singly],
  [
    'a value of this lead does not fit: without it',
    { ...value, column: 'Phone' },
    one,
    again({ ...one, leftOut: ['Phone'] }),
  ],
  ['nobody knows which column: singly', value, both, singly],
  [
    'nobody knows which column of this lead: copies, or else Raw alone',
    value,
    { ...one, leftOut: ['Raw'], typecast: true },
    {
      kind: 'look for copies',
      otherwise: again({ ...one, leftOut: ['Raw', ...barest] }),
    },
  ],
  [
    'even Raw alone is refused: this lead waits alone',
    { ...value, column: 'Phone' },
    { ...one, leftOut: barest },
    { kind: 'look for copies', otherwise: { kind: 'give up', refused: true } },
  ],
  [
    'no column for the ids: nothing can be sent',
    { ...missing, column: 'Lead ID' },
    both,
    { kind: 'give up', refused: false, error: expect.stringMatching(/"Lead ID".*setup-airtable/) },
  ],
])('%s', (_, refusal, attempt, next) => {
  expect(decideNext({ kind: 'refused', ...refusal }, attempt)).toMatchObject(next)
})
