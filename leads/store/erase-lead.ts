import { sql } from 'kysely'
import { nameAddress } from './limits.ts'
import { readSetting, replaceSetting, writeSetting } from './stored-settings.ts'
import type { Database } from './tables.ts'

// This setting is the ID of the last erased lead while SQLite's files may contain traces of it, otherwise `done`.
const setting = 'erased-lead'

/** Deletes a lead, its history and deliveries, and the hash of its email address. */
export async function eraseLead(db: Database, id: string): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    const erased = await trx.deleteFrom('leads').where('id', '=', id).returning('email').execute()
    const names = erased.map(({ email }) => nameAddress(email))
    if (names.length > 0)
      await trx.deleteFrom('confirmationLimits').where('name', 'in', names).execute()
    if (db.engine === 'sqlite') await writeSetting({ kysely: trx }, setting, id)
  })
  // The lead is erased even if this fails, and the site tries again every minute.
  await removeTraces(db).catch(() => {})
}

const readErased = async (db: Database) => (await readSetting(db, setting)) ?? 'done'

export const isErasing = async (db: Database): Promise<boolean> => (await readErased(db)) !== 'done'

/** Removes what erased leads left in SQLite's files. Fails on a full disk. */
export async function removeTraces(db: Database): Promise<void> {
  const erased = await readErased(db)
  if (erased === 'done') return
  // Even with secure_delete, SQLite leaves old copies of moved rows in unused parts of a page.
  await sql`vacuum`.execute(db.kysely)
  // The write-ahead log has old pages, too. It cannot be emptied while another program reads it.
  const checkpoint = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
  const { rows } = await checkpoint.execute(db.kysely)
  // Another lead may have been erased in the meantime; then its ID stays.
  if (!rows[0]?.busy) await replaceSetting(db, setting, erased, 'done')
}
