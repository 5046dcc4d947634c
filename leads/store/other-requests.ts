/*
 * A homeowner may ask more than once: two forms, or a form and a phone call. Every request is a separate lead.
 * The phone number alone decides which requests share a call (see append-event.ts), because whoever dials it
 * reaches the same person. Anyone can type someone else's name, address, or email.
 */

import type { Kysely } from 'kysely'
import { makeHomeownerKeys } from '../homeowner-keys.ts'
import type { StoredLead } from '../lead.ts'
import { dayMs } from '../time-units.ts'
import { storedColumns, type Tables } from './tables.ts'

type Db = { kysely: Kysely<Tables> }

// Beyond this, alerts ignore earlier requests, and the desk ignores those that share only the email.
const repeatMs = 7 * dayMs

const maxSameNumber = 20
const maxSameEmail = 2

/** Other requests, the newest first. */
export type OtherRequests = { sameNumber: StoredLead[]; sameEmail: StoredLead[] }

/** Lists the newest other requests with the lead's number, and the newest with only its email. */
export async function listOtherRequests({ kysely }: Db, lead: StoredLead): Promise<OtherRequests> {
  const { phoneKey, emailKey } = makeHomeownerKeys(lead)
  const others = kysely
    .selectFrom('leads')
    .select(storedColumns)
    .where('id', '!=', lead.id)
    .where('suspect', 'is', null)
    .orderBy('receivedAt', 'desc')
  const sameNumber = others.where('phoneKey', '=', phoneKey).limit(maxSameNumber)
  const sameEmail = others
    .where('emailKey', '=', emailKey)
    .$if(phoneKey !== null, (query) => query.where('phoneKey', 'is distinct from', phoneKey))
    .where('receivedAt', '>=', lead.receivedAt - repeatMs)
    .where('receivedAt', '<=', lead.receivedAt + repeatMs)
    .limit(maxSameEmail)
  const isNone = lead.suspect !== null
  return {
    sameNumber: isNone ? [] : await sameNumber.execute(),
    sameEmail: isNone ? [] : await sameEmail.execute(),
  }
}

/** Returns true if a request with the same number came within the week before. */
export async function hasAskedBefore({ kysely }: Db, lead: StoredLead): Promise<boolean> {
  const earlier = await kysely
    .selectFrom('leads')
    .select('id')
    .where('phoneKey', '=', makeHomeownerKeys(lead).phoneKey)
    .where('suspect', 'is', null)
    .where('receivedAt', '<', lead.receivedAt)
    .where('receivedAt', '>=', lead.receivedAt - repeatMs)
    .executeTakeFirst()
  return lead.suspect === null && earlier !== undefined
}

/** Lists the other requests that have the lead's events, by event. */
export const listSharers = ({ kysely }: Db, leadId: string) =>
  kysely
    .selectFrom('leadEvents as own')
    .innerJoin('leadEvents as shared', 'shared.id', 'own.id')
    .innerJoin('leads', 'leads.id', 'shared.leadId')
    .select(['own.id as eventId', 'leads.name', 'leads.phone', 'leads.email'])
    .where('own.leadId', '=', leadId)
    .where('leads.id', '!=', leadId)
    .orderBy('leads.receivedAt')
    .orderBy('leads.id')
    .execute()
