import { expect, test } from 'vitest'
import * as content from '#site/content.ts'
import { testTime as now } from '#testing/saved-leads.ts'
import { findShownPage } from './page.ts'

const file = { ...content }
const find = (draft: object) => {
  const author = { person: 'Sam', email: 'sam@example.com', savedAt: now, publishedAt: now }
  return findShownPage(file, { ...author, number: 1, content: draft }, now)
}

test('checks the published page, and reports if it differs from the file', () => {
  expect(findShownPage(file, undefined, now)).toEqual({ content: file })
  const hours = { promiseMinutes: 45 }
  expect(find({ hours })).toMatchObject({ content: { hours }, pageDiffers: true })
  const same = { hero: { headline: content.hero.headline } }
  expect(find(same)).toEqual({ content: file, pageDiffers: false })
})

test('checks the file if the published page is invalid', () => {
  const shown = find({ hero: { headline: '' }, hours: { promiseMinutes: 45 } })
  expect(shown).toEqual({ content: file, pageFault: expect.stringContaining('Headline is empty') })
})
