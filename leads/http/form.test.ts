import { expect, it } from 'vitest'
import { createTestApp, testLead as lead, otherOrigin, ownOrigin, testPath } from '#testing/app.ts'
import { openTestDatabase } from '#testing/database.ts'
import { alwaysOpen, listLeads } from '#testing/saved-leads.ts'
import type { BusinessHours } from '../hours.ts'
import { minuteMs } from '../time-units.ts'

async function open(changes: Parameters<typeof createTestApp>[1] = {}) {
  const db = await openTestDatabase('sqlite')
  return { db, ...createTestApp(db, changes), stored: () => listLeads(db, { limit: 100 }) }
}

const received = '/#estimate-received'
const failed = '/#estimate-failed'

function makeForm(changes: Record<string, string | Blob>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...lead, ...changes })) form.set(name, value)
  return form
}

it('needs no key, stores the lead with its visit, and redirects to the page', async () => {
  const { postForm, stored } = await open()
  const visit = { consent: '2026-11', reference: 'buy now', source: 'referrer=a.example' }
  expect(await postForm({ ...lead, name: ' jane DOE', ...visit })).toBe(received)
  // The server formats the name as the form's script does, and detects the filled honeypot.
  const saved = { name: 'Jane Doe', suspect: 'trap', source: 'referrer=a.example' }
  expect(await stored()).toMatchObject([{ ...lead, consent: '2026-11', ...saved }])
})

it('stores one lead for repeated posts with the same key, unless the content differs', async () => {
  const { post, postForm, stored } = await open()
  await post({ 'idempotency-key': 'k1' })
  await postForm({ ...lead, idempotencyKey: 'k1' })
  const unformatted = { name: 'zoë', email: 'Zoe@Example.com', phone: '+1 555 123 4567' }
  await postForm({ ...lead, ...unformatted, idempotencyKey: 'k1' })
  expect(await stored()).toHaveLength(1)
  for (const name of ['Another', 'Another'])
    expect(await postForm({ ...lead, name, idempotencyKey: 'k1' })).toBe(received)
  await postForm({ ...lead, name: 'Third', idempotencyKey: 'k3' })
  await post({ 'idempotency-key': 'k3' }, { ...lead, name: 'Third' })
  await postForm({ ...lead, name: 'Fourth', idempotencyKey: '\0' })
  const names = (await stored()).map(({ name }) => name)
  expect(names.sort()).toEqual(['Another', 'Fourth', 'Third', lead.name])
})

it('stores one lead for a double click, even across a minute boundary', async () => {
  const { postForm, stored, clock } = await open()
  clock.at += 30_000
  await Promise.all([postForm(), postForm()])
  clock.at += 45_000
  expect(await postForm()).toBe(received)
  expect(await stored()).toHaveLength(1)
  await postForm({ ...lead, name: 'Other' })
  clock.at += 120_000
  await postForm()
  expect(await stored()).toHaveLength(3)
})

it('while closed, stores a deadline after we open and redirects to the matching outcome', async () => {
  const hours = { ...alwaysOpen, open: { Mon: ['7:00-18:00'] } }
  const { postForm, clock, stored } = await open({ hours: () => hours })
  const sunday = Date.parse('2026-11-15T12:00:00-06:00')
  clock.at = sunday
  expect(await postForm()).toBe(`${received}-closed`)
  expect(await postForm({ ...lead, serviceType: 'emergency' })).toBe(received)
  clock.at = Date.parse('2026-11-16T09:00:00-06:00')
  expect(await postForm({ ...lead, name: 'Third' })).toBe(received)
  const deadlines = (await stored()).map(({ deadlineAt }) => deadlineAt)
  const monday = Date.parse('2026-11-16T07:10:00-06:00')
  expect(deadlines.sort()).toEqual([sunday + 600_000, monday, clock.at + 600_000])
})

it('redirects a repeated post to the outcome of the first deadline', async () => {
  let hours: BusinessHours = { ...alwaysOpen, open: { Mon: ['7:00-18:00'] } }
  const { postForm, clock, stored } = await open({ hours: () => hours })
  const evening = { ...lead, idempotencyKey: 'evening' }
  clock.at = Date.parse('2026-11-16T17:59:00-06:00')
  expect(await postForm(evening)).toBe(received)
  clock.at += 5 * minuteMs
  expect(await postForm(evening)).toBe(received)
  const night = { ...lead, name: 'Other', idempotencyKey: 'night' }
  expect(await postForm(night)).toBe(`${received}-closed`)
  hours = alwaysOpen
  expect(await postForm(night)).toBe(`${received}-closed`)
  expect(await stored()).toHaveLength(2)
})

it.each([
  ['incomplete', { phone: ' ' }],
  ['email', { email: 'zoe' }],
  ['phone', { phone: '000-000-0000' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: new Blob(['x']) }],
  ['address', { address: 'x'.repeat(301) }],
  ['serviceType', { serviceType: 'x' }],
])('redirects to the outcome that names the failure: %s', async (part, changes) => {
  const { postForm, stored } = await open()
  expect(await postForm(makeForm(changes))).toBe(`/#estimate-${part}`)
  expect(await stored()).toEqual([])
})

it('redirects to the failure message when the form is malformed or too large, the client is over its limit, or the database is unavailable', async () => {
  const { db, request, postForm, post } = await open({ env: { rateLimitPerMinute: 1 } })
  const headers = { origin: ownOrigin, 'content-type': 'multipart/form-data' }
  const nonsense = await request(testPath, { method: 'POST', headers, body: 'nonsense' })
  expect(nonsense.headers.get('location')).toBe(failed)
  expect(await postForm({ ...lead, name: 'x'.repeat(20_000) })).toBe(failed)
  await post()
  expect(await postForm()).toBe(failed)
  await db.kysely.schema.alterTable('leads').renameTo('away').execute()
  expect(await postForm(lead, { origin: ownOrigin, 'test-client': '198.51.100.1' })).toBe(failed)
})

it.each([
  ['the allowed origin', { origin: otherOrigin }, otherOrigin],
  ['our page, identified by the referrer', { origin: 'null', referer: `${ownOrigin}/` }, ''],
  ['our page, identified by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }, ''],
])('accepts a lead from %s and redirects back', async (_, headers, page) => {
  const { postForm } = await open()
  expect(await postForm(lead, headers as Record<string, string>)).toBe(page + received)
})

it.each([
  ['another site', { origin: 'https://evil.example' }],
  ['another site with our referrer', { origin: 'https://evil.example', referer: ownOrigin }],
  ['an unknown page', {}],
  ['another site that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['about:blank', { origin: 'null', referer: 'about:blank' }],
])('stores nothing from %s', async (_, headers) => {
  const { postForm, stored } = await open()
  expect(await postForm(lead, headers as Record<string, string>)).toBe(failed)
  expect(await stored()).toEqual([])
})

it('reads the source from the referrer when the form has none', async () => {
  const { postForm, stored } = await open()
  const page = `${ownOrigin}/?utm_source=google&utm_medium=cpc&gclid=abc&email=jane%40example.com`
  await postForm({ ...lead, name: 'Plain', source: '' }, { origin: ownOrigin, referer: page })
  const referer = `${ownOrigin}/`
  await postForm({ ...lead, name: 'Unknown' }, { origin: ownOrigin, referer })
  const sources = (await stored()).map(({ name, source }) => [name, source])
  expect(Object.fromEntries(sources)).toEqual({
    Plain: 'utm_source=google&utm_medium=cpc',
    Unknown: null,
  })
})
