import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { dayMs } from '../time-units.ts'
import type { Tables } from './tables.ts'

export const sessionMs = 30 * dayMs

/** The email of links printed on the server. */
export const serverEmail = 'owner'

/**
 * The email of sessions that started with such a link. It contains the name that the person entered then, to tell these
 * people apart even after a name change. The space keeps it from being someone's email address.
 */
export const nameServerPerson = (person: string): string => `${serverEmail} ${person}`

export const isServerPerson = (email: string): boolean => email.startsWith(`${serverEmail} `)

/** `deskEmails` are the addresses from the environment. An automatic request does not extend the session. */
export type Access = { deskEmails: readonly string[]; now: number; isAutomatic?: boolean }

/** Sessions used within 30 days by someone who may still sign in. */
export const selectLiveSessions = (
  kysely: Kysely<Tables>,
  { deskEmails, now }: Access,
): SelectQueryBuilder<Tables, 'deskSessions', object> =>
  kysely
    .selectFrom('deskSessions')
    .where('seenAt', '>', now - sessionMs)
    .where((eb) =>
      eb.or([
        // If the pattern were a parameter, SQLite would compile it again for each query.
        eb('email', 'like', sql.lit(`${serverEmail} %`)),
        ...deskEmails.map((email) => eb('email', '=', email)),
        eb('email', 'in', eb.selectFrom('deskCrew').select('email')),
      ]),
    )
