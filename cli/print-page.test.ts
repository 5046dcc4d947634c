import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { publishDraft, savePageDraft } from '#leads/store/page-versions.ts'
import * as file from '#site/content.ts'
import { openTestDatabase } from '#testing/database.ts'
import { testTime as now } from '#testing/saved-leads.ts'
import { formatPublishedPage } from './print-page.ts'

const sam = { person: 'Sam', email: 'sam@example.com', now }

test('prints only the published entries that differ from the file, as TypeScript', async () => {
  const db = await openTestDatabase('sqlite')
  expect(await formatPublishedPage(db, now)).toContain('Nothing has been published')
  const publish = async (base: number, content: object) => {
    await savePageDraft(db, { ...sam, base, content })
    await publishDraft(db, { ...sam, base: base + 1, content })
  }
  await publish(0, { hero: { headline: file.hero.headline } })
  expect(await formatPublishedPage(db, now)).toContain('are the same')
  const headline = `It's "new"\n\\ \u202E`
  await publish(1, { hero: { headline }, hours: { closedDates: ['12-25'] } })
  const printed = await formatPublishedPage(db, now)
  expect(printed).toMatch(/^\/\/ Version 2, published 2026-11-15\. /)
  expect(printed.match(/(?<=^export const )\w+/gm)).toEqual(['hours', 'hero'])
  const module = printed.replaceAll(/: Content\['\w+'\]/g, '')
  const read = await import(`data:text/javascript,${encodeURIComponent(module)}`)
  expect(read.hero).toEqual({ ...file.hero, headline })
  expect(read.hours).toEqual({ ...file.hours, closedDates: ['12-25'] })
})

test('prints the version that visitors see', async () => {
  const db = await openTestDatabase('sqlite')
  for (const [base, headline] of ['Shown', ''].entries()) {
    const content = { hero: { headline } }
    await savePageDraft(db, { ...sam, base, content })
    await publishDraft(db, { ...sam, base: base + 1, content })
  }
  expect(await formatPublishedPage(db, now)).toMatch(/^\/\/ Version 1, .*"Shown"/s)
  await sql`delete from page_versions where number = 1`.execute(db.kysely)
  expect(await formatPublishedPage(db, now)).toMatch(/^\/\/ The published page cannot be shown/)
})
