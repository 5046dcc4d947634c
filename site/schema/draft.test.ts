import { expect, test } from 'vitest'
import { fill } from '#leads/fill.ts'
import * as file from '../content.ts'
import { compareDrafts } from './changes.ts'
import type { Content } from './content-schema.ts'
import { checkDraft, findMisfit, listSamples, mergeDraft, pickEditable } from './draft.ts'
import { editorSections } from './editor.ts'
import { fillIn } from './placeholders.ts'

const content: Content = { ...file }
const now = Date.parse('2026-11-17T12:00:00Z')
const findMistakes = (draft: object) => checkDraft(mergeDraft(draft, content), now).mistakes

test('a draft of the file is the file again, and survives JSON', () => {
  const stored = JSON.parse(JSON.stringify(pickEditable(content)))
  expect(mergeDraft(stored, content)).toEqual(JSON.parse(JSON.stringify(content)))
  expect(findMistakes(stored)).toEqual([])
  expect(stored).not.toHaveProperty('head')
  expect(stored.company).not.toHaveProperty('name')
})

test('a draft cannot override built-in properties of objects', () => {
  const odd = JSON.parse('{"toString":1,"valueOf":1,"__proto__":1}')
  const draft = mergeDraft({ hero: { statistics: [odd] }, company: { address: odd } }, content)
  const changes = compareDrafts(pickEditable(content), pickEditable(draft as Content))
  expect(changes.map(({ label }) => label)).toEqual([
    'Contact: Address',
    'Top of the page: Numbers',
  ])
  expect((draft as Content).hero.statistics).toEqual([{}])
})

test('limits lists to a number that renders quickly', () => {
  const repeat = (count: number) => Array(count).fill({ name: 'Ann', text: 'Good.' })
  expect(findMistakes({ testimonials: { reviews: repeat(100) } })).toEqual([])
  const tooMany = {
    path: 'testimonials.reviews',
    message: 'Reviews can have at most 100 entries. This list has 1,000.',
  }
  // If a list is too long, its items are not checked.
  for (const reviews of [repeat(1_000), Array(1_000).fill({})])
    expect(
      checkDraft({ ...content, testimonials: { ...content.testimonials, reviews } }, now),
    ).toEqual({
      mistakes: [tooMany],
      warnings: [],
    })
  expect(findMisfit({ testimonials: { reviews: repeat(1_000) } })).toEqual(tooMany)
})

test('limits the mistakes that it lists', () => {
  const repeat = (item: object) => Array(100).fill(item)
  const draft = {
    testimonials: { reviews: repeat({}) },
    services: { cards: repeat({}) },
  }
  expect(findMistakes(draft)).toHaveLength(50)
})

const nest = (depth: number): object => (depth === 0 ? {} : { inner: nest(depth - 1) })

test.each([
  ['hero.headline', { hero: { headline: {} } }],
  ['hero.headline', { hero: { headline: nest(2_840) } }],
  ['hero.sample', { hero: { sample: [true] } }],
  ['about.award', { about: { award: { title: ['text'] } } }],
  ['testimonials.reviews', { testimonials: { reviews: [{ name: { first: 'Ann' } }] } }],
  ['hours.open', { hours: { open: { Mon: [['7:00-18:00']] } } }],
])(
  'finds a value in %s that is nested where a text belongs, and does not use it',
  (path, draft) => {
    expect(findMisfit(draft)).toMatchObject({ path })
    expect(mergeDraft(draft, content)).toEqual(JSON.parse(JSON.stringify(content)))
  },
)

test('the form knows which entries can be left out, and which have a sample mark', () => {
  const toTree = (values: Record<string, unknown>): object => {
    const groups = Map.groupBy(Object.entries(values), ([path]) => path.split('.')[0] ?? '')
    const toBranch = (name: string, entries: [string, unknown][]) => {
      const inner = entries.map(([path, value]) => [path.slice(name.length + 1), value])
      return name in values ? values[name] : toTree(Object.fromEntries(inner))
    }
    return Object.fromEntries([...groups].map(([name, all]) => [name, toBranch(name, all)]))
  }
  const fields = editorSections.flatMap((section) => section.fields)
  const parts = fields.filter((field) => field.fields?.some(({ path }) => path !== ''))
  const marked = parts.map(({ path, kind }) => {
    const part = { sample: true }
    return [path, kind === 'list' ? [part] : part]
  })
  const mistakes = [
    Object.fromEntries(fields.map(({ path }) => [path, null])),
    Object.fromEntries(marked),
  ].flatMap((values) => findMistakes(toTree(values)))
  const isFound = (path: string, problem: string) =>
    mistakes.some((mistake) => mistake.path === path && mistake.message.includes(problem))
  for (const { path, optional = false } of fields.filter(
    ({ path }) => path !== 'form.consent.text',
  ))
    expect([path, isFound(path, 'is missing')]).toEqual([path, !optional])
  for (const { path, kind, isMarked = false, fields: inner = [] } of parts) {
    const start = kind === 'list' ? `${path}.0` : path
    expect([path, isFound(`${start}.sample`, 'is unknown')]).toEqual([path, !isMarked])
    for (const { path: name, optional = false } of inner)
      expect([start, name, isFound(`${start}.${name}`, 'is missing')]).toEqual([
        start,
        name,
        !optional,
      ])
  }
})

test('accepts every entry of the file as a draft', () => {
  expect(findMisfit(pickEditable(content))).toBeUndefined()
})

test('fills missing entries from the file, leaves out null, and ignores what only the file may have', () => {
  const draft = {
    hero: { headline: 'New' },
    about: { award: null },
    company: { name: 'Other', license: null },
    testimonials: { reviews: [{ name: 'Ann', text: 'Good.', town: null }] },
    more: 1,
  }
  const { company, hero, about, testimonials } = mergeDraft(draft, content) as Content
  expect(hero).toEqual({ ...content.hero, headline: 'New' })
  expect(about).not.toHaveProperty('award')
  const { license, ...others } = content.company
  expect(company).toEqual(others)
  expect(testimonials.reviews).toEqual([{ name: 'Ann', text: 'Good.' }])
})

test.each([null, 'text', [], { hero: 'text' }, { hero: null }, { company: [1] }])(
  'does not throw for the stored value %j',
  (draft) => {
    expect(mergeDraft(draft, content)).toEqual(JSON.parse(JSON.stringify(content)))
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

// The desk shows an entry's label, not its path. check-content.test.ts has more mistakes.
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
    { company: { phone: '(612) 234-7810 or 234-7811' } },
    'company.phone',
    'Contact: Phone number has 26 characters. Use at most 25.',
  ],
  [
    { company: { areaServed: ['Here', 'x'.repeat(41)] } },
    'company.areaServed.1',
    'Contact: Place has 41 characters. Use at most 40.',
  ],
  [
    { company: { areaServed: Array(8).fill('x'.repeat(38)) } },
    'company.areaServed',
    'Contact: Service area has 318 characters in all. Use at most 300.',
  ],
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

test('points out wording that limited hours contradict, and holidays that have passed', () => {
  const hours = { open: { Mon: ['7:00-18:00'] }, closedDates: ['2025-12-25'] }
  const about = { text: 'We come within 10 minutes.' }
  const services = { ...content.services, heading: 'Services, day or night' }
  const { warnings } = checkDraft(mergeDraft({ hours, about }, { ...content, services }), now)
  expect(warnings).toContainEqual({
    path: 'about.text',
    message: expect.stringContaining('Check “Text” under About you: '),
  })
  expect(warnings).toContainEqual({
    path: 'hours.closedDates',
    message: expect.stringContaining('Dec 25, 2025'),
  })
  // Warnings without a path are about entries that the owner cannot change on the desk.
  expect(warnings.filter(({ path }) => path === undefined)).toEqual([
    { message: expect.stringMatching(/ to change it: “Services, day or night”$/) },
  ])
  // The sample content has wording for limited hours and for 24/7.
  expect(
    checkDraft(mergeDraft({ hours: { ...hours, closedDates: [] } }, content), now).warnings,
  ).toEqual([])
  expect(checkDraft(content, now).warnings).toEqual([])
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
  const list = (draft: object) => listSamples(mergeDraft(draft, file), file)
  const hero = ['hero.headline', 'hero.trust', 'hero.lead', 'hero.statistics']
  const others = [...hero, 'about.points.0', 'testimonials.reviews.0']
  expect(list({})).toEqual(['company.phone', 'company.license', 'company.areaServed', ...others])
  const changed = { phone: '(612) 234-7810', license: null, areaServed: ['There', 'Elsewhere'] }
  expect(list({ company: changed })).toEqual(['company.areaServed', ...others])
  const replaced = { company: { ...changed, areaServed: ['Elsewhere'] } }
  expect(list(replaced)).toEqual(others)
  expect((mergeDraft(replaced, file) as Content).company).not.toHaveProperty('sample')
  const confirmed = { hero: { sample: null }, about: { points: [point] } }
  expect(list({ ...replaced, ...confirmed, testimonials: { reviews: [] } })).toEqual([])
})

test('fills placeholders with the company’s facts, and leaves others', () => {
  const filled = fillIn({ ...content, company: { ...content.company, name: 'Acme $& {minutes}' } })
  expect(filled.form.consent.text).toContain('that Acme $& {minutes} may call')
  expect(filled.form.received.callBy).toBe(content.form.received.callBy)
  expect(fill('{time} {constructor} {x}', { time: '7 AM' })).toBe('7 AM {constructor} {x}')
})
