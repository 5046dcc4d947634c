import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copySources } from '#testing/copy-sources.ts'
import * as content from '../content.ts'
import { checkContent } from './check-content.ts'

const { company, form, hero, hours, services } = content

/** Returns the errors for content with these changes. */
function check(changes: object): string[] {
  try {
    checkContent({ ...content, ...changes })
    return []
  } catch (error) {
    return (error as Error).message.split('\n')
  }
}

test('accepts this site’s content and all optional entries', () => {
  expect(check({})).toEqual([])
  const url = 'https://www.example.com/privacy'
  const optional = {
    address: { street: '12 Main St', city: 'Duluth', state: 'MN', zip: '55802' },
    license: 'MN license BC123456',
    email: 'office@example.com',
    social: [{ name: 'Facebook', url: 'https://www.facebook.com/acme?id=1' }],
  }
  const consent = { ...form.consent, privacyPolicy: { label: 'Privacy policy', url } }
  expect(check({ company: { ...company, ...optional }, form: { ...form, consent } })).toEqual([])
})

test.each([
  ['(555) 555-012', 'Use ten digits. This number has 9.'],
  ['(555) 555-01244', 'Use ten digits. This number has 11.'],
  ['(055) 555-0124', 'The first and fourth digits cannot be 0 or 1.'],
  ['(555) 155-0124', 'The first and fourth digits cannot be 0 or 1.'],
  ['(555) 555-0124 Joe', 'Use only digits, spaces, parentheses, dots, and hyphens.'],
])('rejects the phone number %s', (phone, reason) => {
  expect(check({ company: { ...company, phone } })).toEqual([
    `site/content.ts: company.phone is '${phone}', but must be a US phone number, such as '(612) 234-7810'. ${reason}`,
  ])
})

test.each([
  ['timeZone', { timeZone: 'America/Minneapolis' }, 'must be a time zone'],
  ['promiseMinutes', { promiseMinutes: 0 }, 'must be a whole number of minutes from 5 to 240'],
  ['timeZone', { timeZone: 'US Central', open: { Mon: ['7:00-18:00'] } }, 'must be a time zone'],
  ['open', { open: 'never' }, "must be 'always'"],
  ['open.Mo', { open: { Mo: ['7:00-18:00'] } }, 'is unknown'],
  ['open.Mon entry 1', { open: { Mon: ['7:00-25:00'] } }, "such as '7:00-18:00'"],
  ['open.Mon entry 1', { open: { Mon: ['22:00-6:00'] } }, 'a later closing time'],
  ['open.Mon', { open: { Mon: ['7:00-13:00', '12:00-18:00'] } }, 'must be in order, with a break'],
  ['closedDates entry 1', { closedDates: ['12/25/2026'] }, 'must be a date'],
  ['closedDates entry 2', { closedDates: ['02-29', '2026-02-30'] }, 'must be a date that exists'],
  ['closedDates entry 1', { closedDates: ['02-30'] }, "or '12-25' for every year"],
  ['closedDates entry 1', { closedDates: ['5-25'] }, 'must be a date'],
  ['emergencies', { emergencies: 'never' }, "must be 'always' or 'when open'"],
])('rejects hours with a mistake in %s', (entry, changes, message) => {
  const [found = '', ...others] = check({ hours: { ...hours, ...changes } })
  expect(found).toContain(`site/content.ts: hours.${entry} `)
  expect(found).toContain(message)
  expect(others).toEqual([])
})

test('rejects hours that are never open', () => {
  expect(check({ hours: { ...hours, open: {} } })).toEqual([
    'site/content.ts: hours leave the company closed for a year. Add hours, or delete holidays.',
  ])
})

test('names the review or the card that has a mistake', () => {
  const { testimonials } = content
  const review = { name: 'Maria Delgado', text: 'Great.' }
  const reviews = [review, { ...review, stars: 5 }]
  const [card, ...cards] = services.cards
  const untitled = { ...card, title: '' }
  const wrong = { ...cards[0], icon: 'rooff' }
  expect(
    check({
      testimonials: { ...testimonials, reviews },
      services: { ...services, cards: [untitled, wrong, cards[1]] },
    }),
  ).toEqual([
    'site/content.ts: services.cards entry 1.title is empty. Fill it in.',
    expect.stringContaining(`services.cards entry 2 (${wrong.title}).icon is 'rooff'`),
    expect.stringContaining('testimonials.reviews entry 2 (Maria Delgado).stars is unknown.'),
  ])
})

test('reports a misspelled entry and lists the known ones', () => {
  const { headline, ...rest } = hero
  expect(check({ hero: { ...rest, headlin: headline } })).toEqual([
    'site/content.ts: hero.headline is missing. Add it, or correct its spelling.',
    'site/content.ts: hero.headlin is unknown. Correct its spelling, or delete it. Known entries: sample, headline, reviews, trust, lead, and statistics.',
  ])
})

test.each([
  [{ phone: '' }, 'company.phone is empty. Fill it in.'],
  [{ since: '1998' }, 'company.since must be a year without quotes'],
  [{ name: 'R'.repeat(61) }, 'company.name has 61 characters. Use at most 60.'],
  [{ address: '12 Main St' }, 'company.address must be a group of entries'],
  [{ email: 'office' }, "company.email is 'office', but must be an email address"],
  [{ social: 'Facebook' }, 'company.social must be a list'],
  [
    { social: [{ name: 'Facebook', url: 'javascript:alert(1)' }] },
    "company.social entry 1 (Facebook).url is 'javascript:alert(1)', but must be a link that starts with https://",
  ],
])('explains what is wrong with %j', (changes, message) => {
  const messages = check({ company: { ...company, ...changes } })
  expect(messages).toEqual([expect.stringContaining(message)])
})

const [contentFile, brandFile] = ['site/content.ts', 'site/brand/brand.ts']
test.each([
  ['a missing quote', contentFile, /( name: '.*)',/, '$1,', /cannot be read at line \d+, or just/],
  ['an unknown name', contentFile, /( since: ).*/, '$1abc,', /line \d+.*abc is not defined/],
  ['a color name', brandFile, /( accent: ).*/, "$1'red',", /brand\.colors\.accent is 'red'/],
])('stops the build because of %s in %s', (mistake, path, entry, changed, message) => {
  const folder = copySources()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, path)
  writeFileSync(file, readFileSync(file, 'utf8').replace(entry, changed))
  // To save time, run the whole build for only one mistake, and the content check alone for the others.
  const isFirst = mistake === 'a missing quote'
  const command = isFirst ? 'npm run -s --ignore-scripts build' : 'node site/build/check-content.ts'
  const { status, stderr } = spawnSync(command, { cwd: folder, encoding: 'utf8', shell: true })
  expect(status).toBe(1)
  expect(stderr.startsWith(path)).toBe(true)
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/^ +at |TS\d/m)
})
