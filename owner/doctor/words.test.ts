import { expect, test } from 'vitest'
import * as template from '#site/content.ts'
import { listChecks } from './check.ts'
import { checkWords } from './words.ts'

const own = {
  company: { name: 'Northgate Roofing', phone: '(612) 555-7810' },
  about: { award: { title: 'Best of town' } },
  testimonials: { rows: [[{ id: 1 }, { id: 2 }], [{ id: 3 }]] },
}
const listToDo = (content: Parameters<typeof checkWords>[0]) =>
  listChecks(checkWords(content)).flatMap(({ state, says }) => (state === 'to do' ? [says] : []))

// Once the owner's own words are in, there is no template to look at.
test.skipIf(!('sample' in template.company))('finds every sample of the template', () => {
  expect(listToDo(template)).toEqual([
    expect.stringContaining("the sample's"),
    expect.stringContaining('a placeholder'),
    'A sample is left: about.award.',
    expect.stringMatching(/^20 of 20 testimonials .*16 CFR 465/),
  ])
  expect(template.testimonials.rows.map((row) => row.length)).toEqual([7, 7, 6])
})

test('an owner’s own words are fine, also without testimonials and award', () => {
  expect(listToDo(own)).toEqual([])
  expect(listToDo({ company: own.company, testimonials: { rows: [] } })).toEqual([])
})

test.each([
  ['(555) 234-5678', 1],
  ['(612) 555-0199', 1],
  ['(612) 555-7810', 0],
  ['(612) 234-0155', 0],
])('the number %s: %i to do', (phone, toDo) => {
  expect(listToDo({ ...own, company: { ...own.company, phone } })).toHaveLength(toDo)
})
