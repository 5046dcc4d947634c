import { expect, test } from 'vitest'
import type { PageVersion } from '#leads/store/page-versions.ts'
import * as content from '#site/content.ts'
import { testTime as now } from '#testing/saved-leads.ts'
import { findShownPage } from './page.ts'

const file = { ...content }
const find = (...contents: PageVersion['content'][]) => {
  const author = { person: 'Sam', email: 'sam@example.com', at: now }
  const version = { ...author, isDraft: false, number: 1 }
  const draft = { ...version, isDraft: true, content: undefined }
  return findShownPage(
    file,
    [
      draft,
      ...contents.map((content, at) => ({ ...version, number: contents.length - at, content })),
    ],
    now,
  )
}

test('checks the published page, and reports if it differs from the file', async () => {
  expect(await findShownPage(file, [], now)).toEqual({
    ...{ content: file, pageFault: undefined, pageDiffers: false, damagedPages: [] },
  })
  const hours = { promiseMinutes: 45 }
  expect(await find({ hours })).toMatchObject({ content: { hours }, pageDiffers: true })
  const same = { hero: { headline: content.hero.headline } }
  expect(await find(same)).toMatchObject({ content: file, pageDiffers: false })
})

test('checks the newest page that follows the rules, and reports the others', async () => {
  const hours = { promiseMinutes: 45 }
  const found = await find({ hero: { headline: '' } }, undefined, { hours }, undefined)
  expect(found).toMatchObject({
    content: { hours },
    pageFault: expect.stringMatching(/^Version 4: .*Headline is empty.* Version 3: .*damaged\.$/),
    damagedPages: ['the draft', 'version 3', 'version 1'],
  })
  expect(await find({ hero: { headline: '' } })).toMatchObject({ content: file })
})
