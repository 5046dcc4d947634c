import type { Kysely } from 'kysely'
import type { StoredLead } from '../lead.ts'
import { isSameHomeowner, makeHomeownerKeys, type Request, repeatMs } from '../repeats.ts'
import type { Tables } from './tables.ts'

// Bounds the work if one number sends very many requests.
const maxFound = 200
const maxCompared = 20

/** Maps the ID of each lead to the homeowner's other requests, the newest first. */
export async function mapRepeats(
  { kysely }: { kysely: Kysely<Tables> },
  leads: readonly StoredLead[],
): Promise<Map<string, Request[]>> {
  if (leads.length === 0) return new Map()
  const requests = leads.map((lead) => ({ ...lead, ...makeHomeownerKeys(lead) }))
  const keys = [...new Set(requests.flatMap(({ phone_key, email_key }) => [phone_key, email_key]))]
  const times = leads.map(({ receivedAt }) => receivedAt)
  const found = await selectRequests(kysely)
    .where('received_at', '>=', Math.min(...times) - repeatMs)
    .where('received_at', '<=', Math.max(...times) + repeatMs)
    .where((eb) => eb.or([eb('phone_key', 'in', keys), eb('email_key', 'in', keys)]))
    .limit(maxFound + keys.length)
    .execute()
  return new Map(
    requests.map((one) => [one.id, found.filter((other) => isSameHomeowner(one, other))]),
  )
}

/** Lists the homeowner's other requests, the newest first. */
export const listRepeats = async (db: { kysely: Kysely<Tables> }, lead: StoredLead) =>
  (await mapRepeats(db, [lead])).get(lead.id) ?? []

/** Returns true if the homeowner had asked before. */
export const hasAskedBefore = async (db: { kysely: Kysely<Tables> }, lead: StoredLead) =>
  (await listRepeats(db, lead)).some(({ receivedAt }) => receivedAt < lead.receivedAt)

/** Counts the requests of a period whose homeowner had asked within the week before. */
export async function countRepeats(
  { kysely }: { kysely: Kysely<Tables> },
  { from, to }: { from: number; to: number },
): Promise<number> {
  const requests = await selectRequests(kysely)
    .where('received_at', '>=', from - repeatMs)
    .where('received_at', '<', to)
    .execute()
  const repeats = new Set<string>()
  for (const key of ['phone_key', 'email_key'] as const)
    for (const group of Map.groupBy(requests, (request) => request[key]).values())
      for (const [at, request] of group.entries()) {
        const before = group.slice(at + 1, at + 1 + maxCompared)
        if (request.receivedAt >= from && before.some((one) => isSameHomeowner(request, one)))
          repeats.add(request.id)
      }
  return repeats.size
}

const selectRequests = (kysely: Kysely<Tables>) =>
  kysely
    .selectFrom('leads')
    .select(['id', 'phone_key', 'email_key', 'name_key', 'address_key'])
    .select(['received_at as receivedAt', 'suspect'])
    .where('suspect', 'is', null)
    .orderBy('received_at', 'desc')
