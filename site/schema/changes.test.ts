import { expect, test } from 'vitest'
import * as file from '../content.ts'
import { compareDrafts } from './changes.ts'
import type { Content } from './content-schema.ts'
import { pickEditable } from './draft.ts'

const content: Content = { ...file }
const draft = pickEditable(content)
const list = (changes: Partial<Content>) =>
  compareDrafts(draft, pickEditable({ ...content, ...changes }))

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
      after: 'Sat 8\xa0AM–12\xa0PM and 1\xa0PM–4\xa0PM',
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
      before: [first?.name, first?.text, first?.town, first?.job, first?.month, first?.source]
        .filter(Boolean)
        .join(', '),
      after: 'Ann, Good.',
    },
  ])
})

test('lists full wording, and the items of a list in lines', () => {
  const { hero, testimonials } = content
  const { sample: _, ...real } = hero
  const lead = 'x'.repeat(10_000)
  const reviews = testimonials.reviews.slice(2)
  expect(list({ hero: { ...real, lead }, testimonials: { ...testimonials, reviews } })).toEqual([
    { label: 'Top of the page: Text', before: hero.lead, after: lead },
    { label: 'Top of the page', after: 'No longer marked as a sample' },
    { label: 'Reviews', before: expect.stringMatching(/^[^\n]+\n[^\n]+$/) },
  ])
})
