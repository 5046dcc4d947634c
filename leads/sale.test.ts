import { expect, it } from 'vitest'
import { openTestDesk } from '#testing/desk.ts'
import { makeStranger, record, storeLead } from '#testing/saved-leads.ts'
import { amountPattern, describeSale, readDetails } from './sale.ts'

const today = '2028-02-28'

it('reads an amount in whole dollars, with or without a dollar sign and commas', () => {
  for (const [typed, stored] of [
    [' $12,500 ', '12500'],
    ['9999999', '9999999'],
    ['007', '7'],
  ] as const) {
    expect(readDetails('won', typed, today)).toBe(stored)
    expect(typed).toMatch(new RegExp(`^(?:${amountPattern})$`, 'v'))
  }
})

it.each(['twelve', '0', '1.5', '12,50', '10,000,000'])('rejects the amount %j', (typed) => {
  expect(readDetails('won', typed, today)).toBeUndefined()
})

it.each([
  ['today', '2028-02-28', true],
  ['a year later', '2029-02-27', true],
  ['yesterday', '2028-02-27', false],
  ['after more than a year', '2029-03-01', false],
  ['on a day that does not exist', '2028-02-30', false],
  ['in another format', '20280301', false],
])('checks an appointment %s', (_, typed, isValid) => {
  expect(readDetails('appointment', typed, today)).toBe(isValid ? typed : undefined)
})

it.each([
  ['appointment', '2026-11-06', 'Appointment for Nov 6, 2026'],
  ['won', '12500', 'Won, $12,500'],
  ['won', null, 'Won'],
  ['lost', 'somebody-else', 'Lost, hired someone else'],
  ['done', null, null],
] as const)('names the result %s (%s): %s', (status, saleDetails, words) => {
  expect(describeSale({ status, saleDetails })).toBe(words)
})

it('rejects bad details, and the result of a lead that nobody reached', async () => {
  const { db, press } = await openTestDesk()
  const id = await storeLead(db)
  expect(await press(id, 'won')).toMatchObject({ status: 409, message: 'Nobody has called yet.' })
  await press(id, 'no-answer')
  expect(await press(id, 'won')).toMatchObject({
    status: 409,
    message: 'Sam Hill called just now, no answer.',
  })
  await press(id, 'called')
  expect((await press(id, 'lost', { text: 'other' })).status).toBe(409)
  await press(id, 'done')
  for (const text of ['-1', '1000000000', 'a lot'])
    expect(await press(id, 'won', { text })).toMatchObject({
      status: 400,
      message: 'Enter whole dollars below $10,000,000, such as 12,500.',
    })
  expect(await press(id, 'appointment', { text: '2020-01-01' })).toMatchObject({
    status: 400,
    message: 'Choose a date within the next year.',
  })
  for (const text of ['toString', undefined])
    expect((await press(id, 'lost', { text })).status).toBe(400)
  expect((await press(id, 'appointment')).status).toBe(400)
  const { lead } = (await press(id, 'won')).json
  expect(lead).toMatchObject({ status: 'won', saleDetails: null, calledAt: expect.any(Number) })
})

it('belongs to one request, although its call was about several', async () => {
  const { clock, db, get, press } = await openTestDesk()
  const [roof, gutter] = [await storeLead(db), await storeLead(db)]
  const other = await storeLead(db, { lead: makeStranger() })
  const list = async () =>
    Promise.all(
      [roof, gutter, other].map(async (id) => {
        const { status, saleDetails } = (await get(`/api/leads/${id}`)).lead
        return [status, saleDetails]
      }),
    )
  await press(roof, 'called')
  await press(roof, 'done')
  await record(db, other, 'done')
  await press(roof, 'won', { text: '$12,500' })
  expect(await list()).toEqual([
    ['won', '12500'],
    ['done', null],
    ['done', null],
  ])
  clock.at += 60_000
  expect((await get('/api/report')).report.bySource).toMatchObject([
    { leads: 3, reached: 3, won: 1, dollars: 12_500 },
  ])
  // Undoing the shared call must not reopen the request that was won.
  await press(gutter, 'undone')
  expect(await list()).toMatchObject([
    ['won', '12500'],
    ['calling', null],
    ['done', null],
  ])
  await press(roof, 'undone')
  expect((await list())[0]).toEqual(['done', null])
})
