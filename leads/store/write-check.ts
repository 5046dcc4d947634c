import type { Database } from './tables.ts'

/** Throws unless a row as large as a lead can be committed. */
export function proveWritable({ kysely }: Database): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const id = crypto.randomUUID()
    // New row first, old ones after: replacing a row would fit into a full disk's freed pages.
    await trx
      .insertInto('write_checks')
      .values({ id, filler: 'x'.repeat(8_000) })
      .execute()
    await trx.deleteFrom('write_checks').where('id', '!=', id).execute()
  })
}
