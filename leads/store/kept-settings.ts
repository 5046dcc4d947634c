import { randomBytes } from 'node:crypto'
import type { Database } from './tables.ts'

/** A setting the product remembers by itself; `propose` is kept if there is none yet. */
export async function keepSetting(db: Database, name: string, propose: string): Promise<string> {
  const kept = await readSetting(db, name)
  if (kept !== undefined) return kept
  await db.kysely
    .insertInto('settings')
    .values({ name, value: propose })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readSetting(db, name)) ?? propose
}

export async function readSetting({ kysely }: Database, name: string): Promise<string | undefined> {
  const setting = await kysely
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return setting?.value
}

export async function writeSetting(
  { kysely }: Database,
  name: string,
  value: string,
): Promise<void> {
  await kysely
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function removeSetting({ kysely }: Database, name: string): Promise<void> {
  await kysely.deleteFrom('settings').where('name', '=', name).execute()
}

/** The secret the links are signed with: the owner's, or one made once and kept in the database. */
export const readLinkSecret = (db: Database, given: string | undefined): Promise<string> =>
  given === undefined
    ? keepSetting(db, 'link-secret', randomBytes(32).toString('base64url'))
    : Promise.resolve(given)
