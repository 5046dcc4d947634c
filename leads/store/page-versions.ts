import { sql, type Transaction } from 'kysely'
import type { Database, Tables } from './tables.ts'

/** A version of the page. At most one version is a draft, and it has the highest number. */
export type PageVersion = {
  number: number
  savedAt: number
  /** The person who saved the draft or published it. */
  person: string
  email: string
  content: unknown
  /** Null for the draft. */
  publishedAt: number | null
}

type Author = Pick<PageVersion, 'person' | 'email'>

/** `base` is the number of the newest version that the author has seen. */
type Change = Author & { base: number; now: number }

/** `newest` is a newer version, which the author has not seen. */
type Changed = { number: number } | { newest: PageVersion }

const columns = [
  'number',
  'saved_at as savedAt',
  'person',
  'email',
  'content',
  'published_at as publishedAt',
] as const

const parse = <Row extends { content: string }>(row: Row) => ({
  ...row,
  content: JSON.parse(row.content) as unknown,
})

type Source = Pick<Database, 'kysely'>

const selectNewest = ({ kysely }: Source) =>
  kysely.selectFrom('page_versions').orderBy('number', 'desc').limit(1)

const selectPublished = (db: Source) => selectNewest(db).where('published_at', 'is not', null)

/** Returns 0 if nothing has been published. */
export async function readPublishedNumber(db: Database): Promise<number> {
  return (await selectPublished(db).select('number').executeTakeFirst())?.number ?? 0
}

export async function findPublished(db: Database): Promise<PageVersion | undefined> {
  const row = await selectPublished(db).select(columns).executeTakeFirst()
  return row && parse(row)
}

/** Returns the draft, or the published version if there is no draft. */
export async function findNewest(db: Source): Promise<PageVersion | undefined> {
  const row = await selectNewest(db).select(columns).executeTakeFirst()
  return row && parse(row)
}

/** Newest first. */
export async function listPublished({ kysely }: Database, limit: number): Promise<PageVersion[]> {
  const rows = await kysely
    .selectFrom('page_versions')
    .select(columns)
    .where('published_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()
  return rows.map(parse)
}

/**
 * Replaces the draft, so that saving while someone types does not fill the database. Each save gets a new
 * number, so a tab that has not seen the newest one cannot overwrite it.
 */
export const saveDraft = (
  db: Database,
  { content, ...change }: Change & { content: unknown },
): Promise<Changed> =>
  changePage(db, change, async (trx, newest) => {
    const text = JSON.stringify(content)
    const isRepeated =
      newest?.publishedAt === null &&
      newest.email === change.email &&
      JSON.stringify(newest.content) === text
    // The response to the first request may have been lost.
    if (newest && isRepeated) return newest.number
    if (newest && newest.number !== change.base) return undefined
    const number = (newest?.number ?? 0) + 1
    await trx.deleteFrom('page_versions').where('published_at', 'is', null).execute()
    await insertVersion(trx, { ...change, number, text, publishedAt: null })
    return number
  })

/** Publishes the draft. `content` is the draft's, with the version of its consent text. */
export const publishDraft = (
  db: Database,
  { content, ...change }: Change & { content: unknown },
): Promise<Changed> =>
  changePage(db, change, async (trx, newest) => {
    if (newest?.number !== change.base) return undefined
    const { number, publishedAt } = newest
    // The response to the first request may have been lost.
    if (publishedAt !== null) return number
    const { person, email, now } = change
    await trx
      .updateTable('page_versions')
      .set({ content: JSON.stringify(content), person, email, published_at: now })
      .where('number', '=', number)
      .execute()
    return number
  })

/** Publishes the content of an older version as a new one. A draft stays the newest version. */
export const publishAgain = (
  db: Database,
  { content, ...change }: Change & { content: unknown },
): Promise<Changed> =>
  changePage(db, change, async (trx, newest) => {
    if (!newest || newest.number !== change.base) return undefined
    const number = newest.number + (newest.publishedAt === null ? 0 : 1)
    await trx
      .updateTable('page_versions')
      .set({ number: number + 1 })
      .where('published_at', 'is', null)
      .execute()
    const text = JSON.stringify(content)
    await insertVersion(trx, { ...change, number, text, publishedAt: change.now })
    return number
  })

function changePage(
  { engine, kysely }: Database,
  { base }: Change,
  change: (
    trx: Transaction<Tables>,
    newest: PageVersion | undefined,
  ) => Promise<number | undefined>,
): Promise<Changed> {
  return kysely.transaction().execute(async (trx) => {
    // PostgreSQL runs transactions in parallel, so two people could get the same number. SQLite has one writer.
    if (engine === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended('page_versions', 0))`.execute(trx)
    const newest = await findNewest({ kysely: trx })
    const number = await change(trx, newest)
    if (number !== undefined) return { number }
    if (newest) return { newest }
    throw new Error(`There is no version ${base} of the page.`)
  })
}

async function insertVersion(
  trx: Transaction<Tables>,
  version: Author & { number: number; now: number; text: string; publishedAt: number | null },
): Promise<void> {
  const { number, now, person, email, text, publishedAt } = version
  await trx
    .insertInto('page_versions')
    .values({ number, saved_at: now, person, email, content: text, published_at: publishedAt })
    .execute()
}
