import { beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { testTime as now } from '#testing/saved-leads.ts'
import {
  findNewest,
  findPublished,
  publishDraft,
  readPublishedNumber,
  saveDraft,
} from './page-versions.ts'
import type { Database } from './tables.ts'

const sam = { person: 'Sam', email: 'sam@example.com', now }
const alex = { person: 'Alex', email: 'alex@example.com', now: now + 1_000 }

describe.each(engines)('page versions on %s', (engine) => {
  let db: Database
  beforeEach(async () => {
    db = await openTestDatabase(engine)
  })
  const save = (base: number, content: unknown, author = sam) =>
    saveDraft(db, { ...author, base, content })
  const publish = (base: number, content: unknown, author = sam) =>
    publishDraft(db, { ...author, base, content })
  const countRows = async () =>
    (await db.kysely.selectFrom('page_versions').select('number').execute()).length

  it('keeps one draft, however often it is saved, and every published version', async () => {
    expect(await findNewest(db)).toBeUndefined()
    expect(await readPublishedNumber(db)).toBe(0)
    for (const [base, text] of ['N', 'Ne', 'New'].entries())
      expect(await save(base, { text })).toEqual({ number: base + 1 })
    expect(await countRows()).toBe(1)
    expect(await findPublished(db)).toBeUndefined()
    expect(await publish(3, { text: 'New' }, alex)).toEqual({ number: 3 })
    expect(await save(3, { text: 'Newer' })).toEqual({ number: 4 })
    expect(await findPublished(db)).toEqual({
      number: 3,
      savedAt: now,
      person: 'Alex',
      email: 'alex@example.com',
      content: { text: 'New' },
      publishedAt: alex.now,
    })
    expect(await findNewest(db)).toMatchObject({ number: 4, content: { text: 'Newer' } })
  })

  it('refuses a save or a publish by someone who has not seen the newest version', async () => {
    await save(0, 'first')
    await save(1, 'by Alex', alex)
    const conflict = { newest: { number: 2, person: 'Alex', content: 'by Alex' } }
    expect(await save(1, 'by Sam')).toMatchObject(conflict)
    expect(await publish(1, 'first')).toMatchObject(conflict)
    // A tab from before the first publish.
    await publish(2, 'by Alex', alex)
    expect(await save(0, 'old tab')).toMatchObject(conflict)
    expect(await countRows()).toBe(1)
  })

  it('accepts a repeated save and a repeated publish, because the response may have been lost', async () => {
    expect(await save(0, 'text')).toEqual({ number: 1 })
    expect(await save(0, 'text')).toEqual({ number: 1 })
    expect(await publish(1, 'text')).toEqual({ number: 1 })
    expect(await publish(1, 'text')).toEqual({ number: 1 })
    expect(await countRows()).toBe(1)
  })

  it('lets only one of two people save at the same time', async () => {
    const both = await Promise.all([save(0, 'by Sam'), save(0, 'by Alex', alex)])
    expect(both.filter((result) => 'number' in result)).toHaveLength(1)
    expect(await countRows()).toBe(1)
  })
})
