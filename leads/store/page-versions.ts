import { sql, type Transaction } from 'kysely'
import type { Database, Tables } from './tables.ts'

/** A published version of the page, or the draft of the next one. */
export type PageVersion = {
  number: number
  isDraft: boolean
  /** When it was published, or when the draft was saved. */
  at: number
  person: string
  email: string
  /** Undefined if the stored text is damaged. */
  content: object | undefined
}

type Author = Pick<PageVersion, 'person' | 'email'>

/** `base` is the newest number that the author has seen. */
type Change = Author & { base: number; content: object; now: number }

/** `isRepeat`: an earlier request already made this change. `newest` is a version that the author has not seen. */
type Changed = { number: number; isRepeat: boolean } | { newest: PageVersion }

type Source = Pick<Database, 'kysely'>

/** The draft has the highest number. Published versions are never deleted. */
type Table = 'pageDraft' | 'pageVersions'

const selectNewest = ({ kysely }: Source, table: Table) =>
  kysely.selectFrom(table).orderBy('number', 'desc').limit(1)

const read = (isDraft: boolean, { content, ...row }: Tables[Table]): PageVersion => ({
  ...row,
  isDraft,
  content: parse(content),
})

/** Returns undefined instead of throwing, because one damaged row must not hide the others. */
function parse(text: string): object | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? content : undefined
  } catch {
    return undefined
  }
}

/** Returns 0 if nothing has been published. */
export const readPublishedNumber = async (db: Database): Promise<number> =>
  (await selectNewest(db, 'pageVersions').select('number').executeTakeFirst())?.number ?? 0

/** Reads the published versions one by one, newest first. */
export async function* readPublished(db: Source): AsyncGenerator<PageVersion> {
  const query = selectNewest(db, 'pageVersions').selectAll()
  let row = await query.executeTakeFirst()
  while (row) {
    yield read(false, row)
    row = await query.where('number', '<', row.number).executeTakeFirst()
  }
}

/** Returns the draft, or the newest version if there is no draft. Its content may be damaged. */
export async function findNewest(db: Source): Promise<PageVersion | undefined> {
  // Read the draft first, because someone may publish it between these queries, which moves it to the versions.
  const draft = await selectNewest(db, 'pageDraft').selectAll().executeTakeFirst()
  const version = await selectNewest(db, 'pageVersions').selectAll().executeTakeFirst()
  if (draft && draft.number > (version?.number ?? 0)) return read(true, draft)
  return version && read(false, version)
}

/** Newest first. */
export async function listPublished(db: Database, limit: number): Promise<PageVersion[]> {
  const rows = await selectNewest(db, 'pageVersions').selectAll().limit(limit).execute()
  return rows.map((row) => read(false, row))
}

/**
 * Replaces the draft so that saving while someone types does not fill the database. Each save gets a new number, so a
 * tab that has not seen the newest one cannot overwrite it.
 */
export const savePageDraft = (db: Database, change: Change): Promise<Changed> =>
  changePage(db, change, async (trx, newest) => {
    const isRepeat =
      newest?.isDraft &&
      newest.email === change.email &&
      JSON.stringify(newest.content) === JSON.stringify(change.content)
    // The response to the first request may have been lost.
    if (newest && isRepeat) return { number: newest.number, isRepeat }
    if (newest && newest.number !== change.base) return undefined
    const number = (newest?.number ?? 0) + 1
    await trx.deleteFrom('pageDraft').execute()
    await insert(trx, 'pageDraft', number, change)
    return { number, isRepeat: false }
  })

/** Publishes the draft. `content` is the draft's content plus the version of its consent text. */
export const publishDraft = (db: Database, change: Change): Promise<Changed> =>
  changePage(db, change, async (trx, newest) => {
    if (newest?.number !== change.base) return undefined
    const { number, isDraft } = newest
    // The response to the first request may have been lost.
    if (!isDraft) return { number, isRepeat: true }
    await trx.deleteFrom('pageDraft').execute()
    await insert(trx, 'pageVersions', number, change)
    return { number, isRepeat: false }
  })

/** Publishes the content of an older version as a new one. Keeps the draft and gives it a higher number. */
export const publishAgain = (db: Database, change: Change): Promise<Changed> =>
  changePage(db, change, async (trx, newest) => {
    if (newest?.number !== change.base) return undefined
    const number = newest.number + (newest.isDraft ? 0 : 1)
    await trx
      .updateTable('pageDraft')
      .set({ number: number + 1 })
      .execute()
    await insert(trx, 'pageVersions', number, change)
    return { number, isRepeat: false }
  })

function changePage(
  { engine, kysely }: Database,
  { base }: Change,
  change: (
    trx: Transaction<Tables>,
    newest: PageVersion | undefined,
  ) => Promise<{ number: number; isRepeat: boolean } | undefined>,
): Promise<Changed> {
  return kysely.transaction().execute(async (trx) => {
    // PostgreSQL runs transactions in parallel, so two people could get the same number. SQLite has one writer.
    if (engine === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended('page_versions', 0))`.execute(trx)
    const newest = await findNewest({ kysely: trx })
    const changed = await change(trx, newest)
    if (changed) return changed
    if (newest) return { newest }
    throw new Error(`There is no version ${base} of the page.`)
  })
}

const insert = (
  trx: Transaction<Tables>,
  table: Table,
  number: number,
  { now, person, email, content }: Change,
) =>
  trx
    .insertInto(table)
    .values({ number, at: now, person, email, content: JSON.stringify(content) })
    .execute()
