import { sql } from 'kysely'
import { nameAddress } from './confirmation-limits.ts'
import { readSetting, replaceSetting, writeSetting } from './stored-settings.ts'
import type { Database } from './tables.ts'

// The next step to remove the traces of erased leads from SQLite's files: 'vacuum' and the lead's ID, then
// 'checkpoint', then 'done'. The ID shows whether another lead was erased during a step.
const stepSetting = 'erase-step'

/** Deletes a lead, its history and deliveries, and the hash of its email address. */
export async function eraseLead(db: Database, id: string): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    const erased = await trx.deleteFrom('leads').where('id', '=', id).returning('email').execute()
    const names = erased.map(({ email }) => nameAddress(email))
    if (names.length > 0)
      await trx.deleteFrom('confirmation_limits').where('name', 'in', names).execute()
    if (db.engine === 'sqlite') await writeSetting({ kysely: trx }, stepSetting, `vacuum ${id}`)
  })
  // The lead is erased even if this fails, and the site tries again every minute.
  await removeTraces(db).catch(() => {})
}

const readStep = async (db: Database) => (await readSetting(db, stepSetting)) ?? 'done'

export const isErasing = async (db: Database): Promise<boolean> => (await readStep(db)) !== 'done'

/** Removes what erased leads left in SQLite's files. Fails on a full disk. */
export async function removeTraces(db: Database): Promise<void> {
  const step = await readStep(db)
  if (step === 'done') return
  if (step !== 'checkpoint') {
    // Even with secure_delete, SQLite leaves old copies of moved rows in unused parts of a page.
    await sql`vacuum`.execute(db.kysely)
    await replaceSetting(db, stepSetting, step, 'checkpoint')
  }
  // The write-ahead log has old pages, too. It cannot be emptied while another program reads it.
  const checkpoint = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
  const { rows } = await checkpoint.execute(db.kysely)
  if (!rows[0]?.busy) await replaceSetting(db, stepSetting, 'checkpoint', 'done')
}
