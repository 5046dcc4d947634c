import { removeDevices } from './push-devices.ts'
import type { Database } from './tables.ts'

export type Session = {
  id: string
  email: string
  person: string
  device: string
  createdAt: number
  seenAt: number
}

export const sessionMs = 30 * 24 * 3_600_000
// The list says 'a minute ago' at best: not every look has to be a write.
const seenEveryMs = 60_000

const sessionColumns = [
  'id',
  'email',
  'person',
  'device',
  'created_at as createdAt',
  'seen_at as seenAt',
] as const

export type NewLink = {
  tokenHash: string
  email: string
  clientAddress: string
  isValid: boolean
  expiresAt: number
}

/** Keeps a link. False when this address, or this client, has asked too often. */
export function saveLink(
  { kysely }: Database,
  link: NewLink,
  {
    now,
    mostPerEmail,
    mostPerClient,
  }: { now: number; mostPerEmail: number; mostPerClient: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    await trx.deleteFrom('desk_links').where('expires_at', '<=', now).execute()
    const alive = await trx
      .selectFrom('desk_links')
      .select(['email', 'client_address'])
      .where((eb) =>
        eb.or([eb('email', '=', link.email), eb('client_address', '=', link.clientAddress)]),
      )
      .execute()
    const ofEmail = alive.filter(({ email }) => email === link.email).length
    const ofClient = alive.filter((one) => one.client_address === link.clientAddress).length
    if (ofEmail >= mostPerEmail || ofClient >= mostPerClient) return false
    await trx
      .insertInto('desk_links')
      .values({
        token_hash: link.tokenHash,
        email: link.email,
        client_address: link.clientAddress,
        is_valid: link.isValid ? 1 : 0,
        expires_at: link.expiresAt,
      })
      .execute()
    return true
  })
}

/** Whose link it is, once: it is gone afterwards. */
export async function consumeLink(
  { kysely }: Database,
  tokenHash: string,
  now: number,
): Promise<string | undefined> {
  const taken = await kysely
    .deleteFrom('desk_links')
    .where('token_hash', '=', tokenHash)
    .where('is_valid', '=', 1)
    .returning(['email', 'expires_at'])
    .executeTakeFirst()
  return taken && taken.expires_at > now ? taken.email : undefined
}

export async function saveSession(
  { kysely }: Database,
  { id, email, person, device, createdAt, seenAt }: Session,
  tokenHash: string,
): Promise<void> {
  await kysely
    .deleteFrom('desk_sessions')
    .where('created_at', '<=', createdAt - sessionMs)
    .execute()
  await kysely
    .insertInto('desk_sessions')
    .values({
      id,
      token_hash: tokenHash,
      email,
      person,
      device,
      created_at: createdAt,
      seen_at: seenAt,
    })
    .execute()
}

/** Whose browser this is, and notes that it was here. */
export async function findSession(
  { kysely }: Database,
  tokenHash: string,
  now: number,
): Promise<Session | undefined> {
  const session = await kysely
    .selectFrom('desk_sessions')
    .select(sessionColumns)
    .where('token_hash', '=', tokenHash)
    .where('created_at', '>', now - sessionMs)
    .executeTakeFirst()
  if (session && now - session.seenAt > seenEveryMs)
    await kysely
      .updateTable('desk_sessions')
      .set({ seen_at: now })
      .where('id', '=', session.id)
      .execute()
  return session
}

export function listSessions({ kysely }: Database, now: number): Promise<Session[]> {
  return kysely
    .selectFrom('desk_sessions')
    .select(sessionColumns)
    .where('created_at', '>', now - sessionMs)
    .orderBy('seen_at', 'desc')
    .execute()
}

export async function renamePerson({ kysely }: Database, id: string, person: string) {
  await kysely.updateTable('push_devices').set({ person }).where('session_id', '=', id).execute()
  await kysely.updateTable('desk_sessions').set({ person }).where('id', '=', id).execute()
}

/** Ends a session, or all of them with the links that nobody has used; its phone rings no more. */
export function endSessions({ kysely }: Database, id: string | 'all', now: number): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const query = trx.deleteFrom('desk_sessions')
    await (id === 'all' ? query : query.where('id', '=', id)).execute()
    if (id === 'all') await trx.deleteFrom('desk_links').execute()
    await removeDevices(trx, id === 'all' ? 'all' : { sessionId: id }, now)
  })
}
