import { Buffer } from 'node:buffer'
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

export async function writeSetting(
  { kysely }: Pick<Database, 'kysely'>,
  name: string,
  value: string,
): Promise<void> {
  await kysely
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Does nothing if the value is no longer `from`. */
export async function replaceSetting({ kysely }: Database, name: string, from: string, to: string) {
  await kysely
    .updateTable('settings')
    .set({ value: to })
    .where('name', '=', name)
    .where('value', '=', from)
    .execute()
}

/** If several processes create the value at the same time, all of them get the first one stored. */
async function getOrCreateSetting(
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

const nameConsent = (version: string) => `consent ${version}`

/** Stores the text of each consent version once, because a lead stores only the version. */
export const recordConsent = (db: Database, { version, text }: { version: string; text: string }) =>
  getOrCreateSetting(db, nameConsent(version), () => text)

/**
 * Returns the given version. If it is already stored with a different text, returns a version that has the given
 * text, or else a new version, such as 2026-11-18 or 2026-11-18-2.
 */
export async function recordConsentVersion(
  db: Database,
  { version, text, today }: { version: string; text: string; today: string },
): Promise<string> {
  if ((await recordConsent(db, { version, text })) === text) return version
  const known = await db.kysely
    .selectFrom('settings')
    .select('name')
    .where('name', 'like', nameConsent('%'))
    .where('value', '=', text)
    .orderBy('name')
    .executeTakeFirst()
  if (known) return known.name.slice(nameConsent('').length)
  for (let count = 1; ; count++) {
    const next = count === 1 ? today : `${today}-${count}`
    if ((await recordConsent(db, { version: next, text })) === text) return next
  }
}

export const readConsent = (db: Database, version: string) => readSetting(db, nameConsent(version))

/** Returns LINK_SECRET, or a secret that is created once and stored. */
export const readLinkSecret = async (db: Database, given: string | undefined): Promise<string> =>
  given ?? getOrCreateSetting(db, 'link-secret', () => randomBytes(32).toString('base64url'))

/** These keys identify the site to push services. If they changed, devices would have to register again. */
type VapidKeys = { subject: string; publicKey: string; privateKey: string }

export const readVapidKeys = async (db: Database, subject: string): Promise<VapidKeys> => ({
  subject,
  ...JSON.parse(
    await getOrCreateSetting(db, 'vapid-keys', async () => JSON.stringify(await makeKeys())),
  ),
})

async function makeKeys(): Promise<Omit<VapidKeys, 'subject'>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign'])
  const raw = await crypto.subtle.exportKey('raw', publicKey)
  const { d = '' } = await crypto.subtle.exportKey('jwk', privateKey)
  return { publicKey: Buffer.from(raw).toString('base64url'), privateKey: d }
}

export type MailFault = {
  at: number
  error: string
  /** True if the mail server cannot be reached or rejects the password. */
  isLogin: boolean
}

const faultSetting = 'mail-fault'

/** Returns the last failure of the mail server, if it has accepted no email since. */
export async function readMailFault(db: Database): Promise<MailFault | undefined> {
  const stored = await readSetting(db, faultSetting)
  return stored === undefined ? undefined : JSON.parse(stored)
}

export const saveMailFault = (db: Database, fault: MailFault) =>
  writeSetting(db, faultSetting, JSON.stringify(fault))

export async function forgetMailFault(db: Database): Promise<void> {
  // Read first, because reading does not wait for the lock that writing needs.
  if ((await readSetting(db, faultSetting)) === undefined) return
  await db.kysely.deleteFrom('settings').where('name', '=', faultSetting).execute()
}
