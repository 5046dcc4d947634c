import { readSetting } from './kept-settings.ts'
import type { Database } from './tables.ts'

/** By these the push services know us: the same for every device, forever. */
export type VapidKeys = { subject: string; publicKey: string; privateKey: string }

const setting = 'vapid-keys'

/** Made at the first use and kept in the database. */
export async function readVapidKeys(db: Database, subject: string): Promise<VapidKeys> {
  const known = await readSetting(db, setting)
  if (known === undefined) {
    await db.kysely
      .insertInto('settings')
      .values({ name: setting, value: JSON.stringify(await makeKeys()) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return readVapidKeys(db, subject)
  }
  return { subject, ...JSON.parse(known) }
}

async function makeKeys(): Promise<Omit<VapidKeys, 'subject'>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign'])
  const raw = await crypto.subtle.exportKey('raw', publicKey)
  const { d = '' } = await crypto.subtle.exportKey('jwk', privateKey)
  return { publicKey: Buffer.from(raw).toString('base64url'), privateKey: d }
}
