import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Tables } from './tables.ts'

export const sessionMs = 30 * 24 * 3_600_000

/** The email of sessions that started with a link printed on the server. */
export const serverEmail = 'owner'

/** `deskEmails` are the addresses from the environment. An automatic request does not extend the session. */
export type Access = { deskEmails: readonly string[]; now: number; isAutomatic?: boolean }

/** Sessions used within 30 days by someone who may still sign in. */
export const selectLiveSessions = (
  kysely: Kysely<Tables>,
  { deskEmails, now }: Access,
): SelectQueryBuilder<Tables, 'desk_sessions', object> =>
  kysely
    .selectFrom('desk_sessions')
    .where('seen_at', '>', now - sessionMs)
    .where((eb) =>
      eb.or([
        eb('email', 'in', [...deskEmails, serverEmail]),
        eb('email', 'in', eb.selectFrom('desk_crew').select('email')),
      ]),
    )
