import { expect, test } from 'vitest'
import { findSamples } from '#site/build/samples.ts'
import * as template from '#site/content.ts'
import { listChecks } from './check.ts'
import { checkWords } from './words.ts'

const own = {
  company: { name: 'Northgate Roofing', phone: '(612) 555-7810' },
  about: { award: { title: 'Best of town' } },
  testimonials: { rows: [[{ id: 1 }, { id: 2 }], [{ id: 3 }]] },
}
const states = (content: Parameters<typeof checkWords>[0], picture?: Uint8Array) =>
  Object.fromEntries(
    listChecks(checkWords(content, picture)).map(({ about, state }) => [about, state]),
  )

// Once the owner's own words are in, there is no template to look at.
test.skipIf(!template.company.sample)('finds every sample of the template', () => {
  const samples = findSamples(template)
  expect(samples).toHaveLength(22)
  expect(samples.filter((path) => path.startsWith('testimonials.'))).toHaveLength(20)
  expect(samples).toEqual(expect.arrayContaining(['company', 'about.award']))
  const { rows } = template.testimonials
  expect(rows.map((row) => row.length)).toEqual([7, 7, 6])
})

test('an owner’s own words are fine, also with few testimonials or none, and no award', () => {
  const fine = { company: 'ok', phone: 'ok', testimonials: 'ok' }
  expect(states(own)).toEqual(fine)
  for (const rows of [[[{ id: 1, text: 'They came, they fixed it.' }]], []])
    expect(states({ company: own.company, testimonials: { rows } })).toEqual(fine)
})

test('names the law and how many testimonials are left', () => {
  const rows = [[{ id: 1, sample: true }, { id: 2 }], [{ id: 3, sample: true }]]
  const checks = listChecks(checkWords({ ...own, testimonials: { rows } }, undefined))
  const says = expect.stringMatching(/2 of 3.*16 CFR 465/)
  expect(checks).toContainEqual(
    expect.objectContaining({ about: 'testimonials', state: 'to do', says }),
  )
})

test.each([
  ['(555) 555-0124', 'to do'],
  ['(555) 234-5678', 'to do'],
  ['(612) 555-0199', 'to do'],
  ['(612) 555-7810', 'ok'],
  ['(612) 234-0155', 'ok'],
])('the number %s: %s', (phone, state) => {
  expect(states({ ...own, company: { ...own.company, phone } })).toMatchObject({ phone: state })
})

test('sees that the picture of shared links shows another name', () => {
  const picture = (text: string) => Buffer.from(`\xff\xd8 ${text} \x00`, 'latin1')
  expect(states(own, picture('Share picture of Ridgeline Roofing'))).toMatchObject({
    'share picture': 'to do',
  })
  for (const fine of ['Share picture of Northgate Roofing', 'a photograph of our own'])
    expect(states(own, picture(fine))).not.toHaveProperty('share picture')
})
