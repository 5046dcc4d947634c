import { expect, test } from 'vitest'
import * as file from '../content.ts'
import { listChanges } from './changes.ts'
import type { Content } from './content-schema.ts'
import { check, complete, listSamples, pickEditable } from './draft.ts'
import { fill, fillIn } from './placeholders.ts'

const content: Content = { ...file }
const now = Date.parse('2026-11-17T12:00:00Z')
const findMistakes = (draft: object) => check(complete(draft, content), now).mistakes

test('a draft of the file is the file again, and survives JSON', () => {
  const stored = JSON.parse(JSON.stringify(pickEditable(content)))
  expect(complete(stored, content)).toEqual(JSON.parse(JSON.stringify(content)))
  expect(findMistakes(stored)).toEqual([])
  expect(stored).not.toHaveProperty('head')
  expect(stored.company).not.toHaveProperty('name')
})

test('a draft cannot override built-in properties of objects', () => {
  const odd = JSON.parse('{"toString":1,"valueOf":1,"__proto__":{"x":1}}')
  const draft = complete(
    { hero: { headline: odd, statistics: [odd] }, company: { license: odd } },
    content,
  )
  const changes = listChanges(pickEditable(content), pickEditable(draft as Content))
  expect(changes.map(({ label }) => label)).toEqual([
    'Contact: License',
    'Top of the page: Headline',
    'Top of the page: Numbers',
  ])
  expect((draft as Content).hero.statistics).toEqual([{}])
})

test('limits lists to a number that renders quickly', () => {
  const repeat = (count: number) => Array(count).fill({ name: 'Ann', text: 'Good.' })
  expect(findMistakes({ testimonials: { reviews: repeat(100) } })).toEqual([])
  expect(findMistakes({ testimonials: { reviews: repeat(20_000) } })).toEqual([
    {
      path: 'testimonials.reviews',
      message: 'Reviews can have at most 100 entries. This list has 20,000.',
    },
  ])
})

test('fills missing entries from the file, leaves out null, and ignores what only the file may have', () => {
  const draft = {
    hero: { headline: 'New' },
    about: { award: null },
    company: { name: 'Other', license: null },
    testimonials: { reviews: [{ name: 'Ann', text: 'Good.', town: null }] },
    more: 1,
  }
  const { company, hero, about, testimonials } = complete(draft, content) as Content
  expect(hero).toEqual({ ...content.hero, headline: 'New' })
  expect(about).not.toHaveProperty('award')
  const { license, ...others } = content.company
  expect(company).toEqual(others)
  expect(testimonials.reviews).toEqual([{ name: 'Ann', text: 'Good.' }])
})

test.each([null, 'text', [], { hero: 'text' }, { hero: null }, { company: [1] }])(
  'does not throw for the stored value %j',
  (draft) => {
    expect(complete(draft, content)).toEqual(JSON.parse(JSON.stringify(content)))
  },
)

test.each([
  ['', 'is empty. Fill it in.'],
  [' \u200b\u2800\n', 'is empty. Fill it in.'],
  ['x'.repeat(10_000), 'has 10,000 characters. Use at most 150.'],
  ['a\u0000b', 'has an invisible character. Delete the text, and type it again.'],
  ['a\ud83c', 'has an invisible character. Delete the text, and type it again.'],
  ['{x}', 'has the unknown placeholder {x}. You can use {company}, {minutes}, and {since} here.'],
])('explains the mistake in the headline %.20j to the owner', (headline, mistake) => {
  const message = `Top of the page: Headline ${mistake}`
  expect(findMistakes({ hero: { headline } })).toEqual([{ path: 'hero.headline', message }])
})

// check-content.test.ts has more mistakes. The desk names an entry by its label.
test.each<[object, string, string]>([
  [
    { company: { license: '{company} 1' } },
    'company.license',
    'Contact: License has the unknown placeholder {company}. Delete it.',
  ],
  [
    { testimonials: { reviews: [{ text: 'Good.' }] } },
    'testimonials.reviews.0.name',
    'Reviews: Name is missing. Add it, or correct its spelling.',
  ],
  [
    { hours: { open: { Mon: ['7:00-13:00', '12:00-18:00'] } } },
    'hours.open.Mon',
    'Hours: Monday’s hours must be in order, with a break between them. Sort or merge the hours.',
  ],
  [
    { hours: { open: { Fri: ['22:00-2:00'] } } },
    'hours.open.Fri.0',
    'Hours: Friday’s hours must end later than they start. If you’re open past midnight, close at 12:00 AM and open the next day at 12:00 AM.',
  ],
  [
    {
      services: { cards: [{ ...content.services.cards[0], title: '' }, ...content.services.cards] },
    },
    'services.cards.0.title',
    'Services: Title is empty. Fill it in.',
  ],
  [{ company: { phone: '' } }, 'company.phone', 'Contact: Phone number is empty. Fill it in.'],
  [
    { company: { address: { street: '1 Main St', city: 'Here', state: '', zip: '55401' } } },
    'company.address.state',
    'Contact: State is empty. Fill it in.',
  ],
  ...['', '8:00-', '-17:00'].map((span): [object, string, string] => [
    { hours: { open: { Tue: [span] } } },
    'hours.open.Tue.0',
    'Hours: Tuesday’s hours need an opening time and a closing time.',
  ]),
  [
    { hours: { open: {} } },
    'hours',
    'Hours leave the company closed for a year. Add hours, or delete holidays.',
  ],
  [
    { services: { cards: [] } },
    'services.cards',
    'Services must have at least three entries. Add more.',
  ],
])('explains the mistake in %j to the owner', (draft, path, message) => {
  expect(findMistakes(draft)).toEqual([{ path, message }])
})

test.each([
  '<b>Roofs</b> </script>',
  '🏠 Roofs',
  'سقف متين',
  '{company} calls in {minutes} minutes',
])('accepts %s', (headline) => {
  expect(findMistakes({ hero: { headline } })).toEqual([])
})

test('points out texts that limited hours contradict, and holidays that have passed', () => {
  const hours = { open: { Mon: ['7:00-18:00'] }, closedDates: ['2025-12-25'] }
  const { warnings } = check(complete({ hours }, content), now)
  expect(warnings).toContainEqual({
    path: 'emergency.notUrgent',
    message: expect.stringContaining('Check “If it’s not urgent” under Emergencies: '),
  })
  expect(warnings).toContainEqual({
    path: 'hours.closedDates',
    message: expect.stringContaining('Dec 25, 2025'),
  })
  // The owner cannot change these on the desk.
  expect(warnings.filter(({ path }) => path === undefined)).toEqual([
    { message: expect.stringMatching(/ to change them: “Residential roofing since \d+\./) },
  ])
  expect(check(content, now).warnings).toEqual([])
})

test('lists what is still made up, until the owner changes, deletes, or confirms it', () => {
  const { email, address, ...company } = content.company
  const { sample: _, ...emergency } = content.emergency
  const { sample: __, ...services } = content.services
  const sample = true as const
  const point = { icon: 'home' as const, title: 'Title', text: 'Text' }
  const file: Content = {
    ...content,
    company: { ...company, sample, license: 'MN 1', areaServed: ['Here', 'There'] },
    hero: { ...content.hero, sample },
    about: {
      heading: 'About',
      text: 'Text',
      points: [{ ...point, sample }, point],
      pictureAlt: '',
    },
    emergency,
    services,
    testimonials: { ...content.testimonials, reviews: [{ name: 'Ann', text: 'Good.', sample }] },
  }
  const list = (draft: object) => listSamples(complete(draft, file), file)
  const hero = ['hero.headline', 'hero.lead', 'hero.statistics']
  const others = [...hero, 'about.points.0', 'testimonials.reviews.0']
  expect(list({})).toEqual(['company.phone', 'company.license', 'company.areaServed', ...others])
  const changed = { phone: '(612) 234-7810', license: null, areaServed: ['There', 'Elsewhere'] }
  expect(list({ company: changed })).toEqual(['company.areaServed', ...others])
  const replaced = { company: { ...changed, areaServed: ['Elsewhere'] } }
  expect(list(replaced)).toEqual(others)
  expect((complete(replaced, file) as Content).company).not.toHaveProperty('sample')
  const confirmed = { hero: { sample: null }, about: { points: [point] } }
  expect(list({ ...replaced, ...confirmed, testimonials: { reviews: [] } })).toEqual([])
})

test('fills placeholders with the company’s facts, and leaves others', () => {
  const filled = fillIn({ ...content, company: { ...content.company, name: 'Acme $& {minutes}' } })
  expect(filled.form.consent.text).toContain('that Acme $& {minutes} may call')
  expect(filled.form.notes.callBy).toBe(content.form.notes.callBy)
  expect(fill('{time} {constructor} {x}', { time: '7 AM' })).toBe('7 AM {constructor} {x}')
})
