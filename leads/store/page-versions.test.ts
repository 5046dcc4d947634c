import { beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { testTime as now } from '#testing/saved-leads.ts'
import {
  findNewest,
  listPublished,
  publishDraft,
  readPublishedNumber,
  savePageDraft,
} from './page-versions.ts'
import type { Database } from './tables.ts'

const sam = { person: 'Sam', email: 'sam@example.com', now }
const alex = { person: 'Alex', email: 'alex@example.com', now: now + 1_000 }

describe.each(engines)('page versions on %s', (engine) => {
  let db: Database
  beforeEach(async () => {
    db = await openTestDatabase(engine)
  })
  const save = (base: number, content: object, author = sam) =>
    savePageDraft(db, { ...author, base, content })
  const publish = (base: number, content: object, author = sam) =>
    publishDraft(db, { ...author, base, content })
  const countRows = async () => {
    const read = (table: 'pageDraft' | 'pageVersions') =>
      db.kysely.selectFrom(table).select('number').execute()
    return (await read('pageDraft')).length + (await read('pageVersions')).length
  }

  it('keeps one draft, however often it is saved, and every published version', async () => {
    expect(await findNewest(db)).toBeUndefined()
    expect(await readPublishedNumber(db)).toBe(0)
    for (const [base, text] of ['N', 'Ne', 'New'].entries())
      expect(await save(base, { text })).toMatchObject({ number: base + 1 })
    expect(await countRows()).toBe(1)
    expect(await listPublished(db, 1)).toEqual([])
    expect(await publish(3, { text: 'New' }, alex)).toMatchObject({ number: 3 })
    expect(await save(3, { text: 'Newer' })).toMatchObject({ number: 4 })
    expect(await listPublished(db, 1)).toEqual([
      {
        number: 3,
        isDraft: false,
        at: alex.now,
        person: 'Alex',
        email: 'alex@example.com',
        content: { text: 'New' },
      },
    ])
    expect(await findNewest(db)).toMatchObject({ number: 4, content: { text: 'Newer' } })
  })

  it('refuses a save or a publish by someone who has not seen the newest version', async () => {
    await save(0, { text: 'first' })
    await save(1, { text: 'by Alex' }, alex)
    const conflict = { newest: { number: 2, person: 'Alex', content: { text: 'by Alex' } } }
    expect(await save(1, { text: 'by Sam' })).toMatchObject(conflict)
    expect(await publish(1, { text: 'first' })).toMatchObject(conflict)
    await publish(2, { text: 'by Alex' }, alex)
    // A tab that was opened before anything was saved has seen no version.
    expect(await save(0, { text: 'old tab' })).toMatchObject(conflict)
    expect(await countRows()).toBe(1)
  })

  it('accepts a repeated save and a repeated publish, because the response may have been lost', async () => {
    for (const change of [save.bind(null, 0), publish.bind(null, 1)]) {
      expect(await change({ text: 'text' })).toEqual({ number: 1, isRepeat: false })
      expect(await change({ text: 'text' })).toEqual({ number: 1, isRepeat: true })
    }
    expect(await countRows()).toBe(1)
  })

  it('lets only one of two people save at the same time', async () => {
    const both = await Promise.all([
      save(0, { text: 'by Sam' }),
      save(0, { text: 'by Alex' }, alex),
    ])
    expect(both.filter((result) => 'number' in result)).toHaveLength(1)
    expect(await countRows()).toBe(1)
  })
})
