import { keepSetting } from './kept-settings.ts'
import type { Database } from './tables.ts'

/** By these the push services know us: the same for every device, forever. */
export type VapidKeys = { subject: string; publicKey: string; privateKey: string }

export const readVapidKeys = async (db: Database, subject: string): Promise<VapidKeys> => ({
  subject,
  ...JSON.parse(await keepSetting(db, 'vapid-keys', async () => JSON.stringify(await makeKeys()))),
})

async function makeKeys(): Promise<Omit<VapidKeys, 'subject'>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign'])
  const raw = await crypto.subtle.exportKey('raw', publicKey)
  const { d = '' } = await crypto.subtle.exportKey('jwk', privateKey)
  return { publicKey: Buffer.from(raw).toString('base64url'), privateKey: d }
}
