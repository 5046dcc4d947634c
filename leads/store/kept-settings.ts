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

const linkSecret = 'link-secret'

/** The secret the links are signed with: the owner's, or one made once and kept in the database. */
export async function readLinkSecret(db: Database, given: string | undefined): Promise<string> {
  const known = given ?? (await readSetting(db, linkSecret))
  if (known !== undefined) return known
  const proposed = randomBytes(32).toString('base64url')
  await db.kysely
    .insertInto('settings')
    .values({ name: linkSecret, value: proposed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readSetting(db, linkSecret)) ?? proposed
}
