import { expect, test } from 'vitest'
import * as file from '../content.ts'
import { listChanges } from './changes.ts'
import type { Content } from './content-schema.ts'
import { pickEditable } from './draft.ts'

const content: Content = { ...file }
const draft = pickEditable(content)
const list = (changes: Partial<Content>) =>
  listChanges(draft, pickEditable({ ...content, ...changes }))

test('lists what was there before and what is there now', () => {
  const { company, hours, hero, about, testimonials } = content
  const { license, ...unlicensed } = company
  const [first, ...others] = testimonials.reviews
  const added = { name: 'Ann', text: 'Good.' }
  expect(
    list({
      company: unlicensed,
      hours: { ...hours, open: { Sat: ['8:00-12:00', '13:00-16:00'] }, emergencies: 'when open' },
      hero: { ...hero, headline: 'Dry.' },
      about: { ...about, points: about.points.toReversed() },
      testimonials: { ...testimonials, reviews: [...others, added] },
    }),
  ).toEqual([
    { label: 'Contact: License', before: license },
    {
      label: 'Hours: Business hours',
      before: 'Always open (24/7)',
      after: 'Sat 8 AM–12 PM and 1 PM–4 PM',
    },
    {
      label: 'Hours: Emergencies',
      before: 'We call back at any hour',
      after: 'We call back only while we’re open',
    },
    { label: 'Top of the page: Headline', before: hero.headline, after: 'Dry.' },
    { label: 'About you: Highlights', after: 'New order' },
    {
      label: 'Reviews',
      before: expect.stringMatching(new RegExp(`^${first?.name}, .*…$`)),
      after: 'Ann, Good.',
    },
  ])
})

test('shortens long texts and lists', () => {
  const { hero, testimonials } = content
  const { sample: _, ...real } = hero
  const changes = list({
    hero: { ...real, lead: 'x'.repeat(10_000) },
    testimonials: { ...testimonials, reviews: [] },
  })
  expect(changes).toEqual([
    { label: 'Top of the page: Text', before: hero.lead, after: expect.stringMatching(/^x+…$/) },
    { label: 'Top of the page', after: 'No longer marked as a sample' },
    { label: 'Reviews', before: expect.stringMatching(/; and \d+ more$/) },
  ])
  for (const { before = '', after = '' } of changes)
    expect(Math.max(before.length, after.length)).toBeLessThan(300)
})

test('shows where a long text differs', () => {
  const { about, testimonials } = content
  const [first, ...others] = testimonials.reviews
  const edited = { name: '', ...first, text: `${first?.text} Thanks, Joe!` }
  const [longText, longReview] = list({
    about: { ...about, text: `${'x'.repeat(400)} and new` },
    testimonials: { ...testimonials, reviews: [edited, ...others] },
  })
  expect(longText?.after).toMatch(/^x+…$/)
  expect(longReview).toEqual({
    label: 'Reviews',
    before: expect.stringMatching(/^….*the grass\., Minneapolis/),
    after: expect.stringMatching(/^….*the grass\. Thanks, Joe!/),
  })
  const before = { ...content, about: { ...about, text: 'x'.repeat(400) } }
  const after = { ...content, about: { ...about, text: `${'x'.repeat(400)} and new` } }
  expect(listChanges(pickEditable(before), pickEditable(after))).toMatchObject([
    { before: expect.stringMatching(/^…x+$/), after: expect.stringMatching(/^…x+ and new$/) },
  ])
})
