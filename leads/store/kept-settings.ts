import { randomBytes } from 'node:crypto'
import type { Database } from './tables.ts'

export async function readSetting({ kysely }: Database, name: string): Promise<string | undefined> {
  const setting = await kysely
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return setting?.value
}

export async function writeSetting(db: Database, name: string, value: string): Promise<void> {
  await db.kysely
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function removeSetting({ kysely }: Database, name: string): Promise<void> {
  await kysely.deleteFrom('settings').where('name', '=', name).execute()
}

/** Made at its first use and kept; of several who make it at once, the first one's counts. */
export async function keepSetting(
  db: Database,
  name: string,
  make: () => string | Promise<string>,
): Promise<string> {
  const known = await readSetting(db, name)
  if (known !== undefined) return known
  const value = await make()
  await db.kysely
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readSetting(db, name)) ?? value
}

/** The secret the links are signed with: the owner's, or one made once and kept in the database. */
export const readLinkSecret = async (db: Database, given: string | undefined): Promise<string> =>
  given ?? keepSetting(db, 'link-secret', () => randomBytes(32).toString('base64url'))
