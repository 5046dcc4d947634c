import type { Kysely } from 'kysely'
import { selectedFields } from '../field-outputs.ts'
import { isSameHomeowner, makeContactKeys, type Request, repeatMs } from '../repeats.ts'
import type { Tables } from './tables.ts'

type Keys = ReturnType<typeof makeContactKeys>
type Period = { from: number; to: number }

// Bounds the work if one number sends very many requests.
const maxFound = 200
const maxCompared = 20

/** Maps the ID of each lead to the homeowner's other requests, the newest first. */
export async function mapRepeats(
  { kysely }: { kysely: Kysely<Tables> },
  leads: readonly Request[],
): Promise<Map<string, Request[]>> {
  if (leads.length === 0) return new Map()
  const receivedAts = leads.map(({ receivedAt }) => receivedAt)
  const period = {
    from: Math.min(...receivedAts) - repeatMs,
    to: Math.max(...receivedAts) + repeatMs,
  }
  const keys = leads.map(makeContactKeys)
  const byPhone = await listByKey(kysely, 'phone_key', keys, period)
  const byEmail = await listByKey(kysely, 'email_key', keys, period)
  return new Map(
    leads.map((lead) => {
      const { phone_key, email_key } = makeContactKeys(lead)
      const found = [...(byPhone.get(phone_key) ?? []), ...(byEmail.get(email_key) ?? [])]
      const others = new Map(found.map((other) => [other.id, other]))
      const same = [...others.values()].filter((other) => isSameHomeowner(lead, other))
      return [lead.id, same.sort((a, b) => b.receivedAt - a.receivedAt)]
    }),
  )
}

/** Returns the IDs of the leads whose homeowner had asked before. */
export async function findRepeats(
  db: { kysely: Kysely<Tables> },
  claimed: readonly { lead: Request }[],
): Promise<Set<string>> {
  const leads = claimed.map(({ lead }) => lead)
  const repeats = await mapRepeats(db, leads)
  const hadAsked = ({ id, receivedAt }: Request) =>
    repeats.get(id)?.some((other) => other.receivedAt < receivedAt)
  return new Set(leads.filter(hadAsked).map(({ id }) => id))
}

/** Two queries with one index each are faster than one with `or`. */
async function listByKey(
  kysely: Kysely<Tables>,
  column: keyof Keys,
  keys: readonly Keys[],
  period: Period,
): Promise<Map<string | null, Request[]>> {
  const wanted = [...new Set(keys.flatMap((key) => key[column] ?? []))]
  if (wanted.length === 0) return new Map()
  const found = await selectRequests(kysely, period)
    .where(column, 'in', wanted)
    .limit(maxFound + wanted.length)
    .execute()
  return Map.groupBy(found, (request) => makeContactKeys(request)[column])
}

const selectRequests = (kysely: Kysely<Tables>, { from, to }: Period) =>
  kysely
    .selectFrom('leads')
    .select(['id', ...selectedFields, 'received_at as receivedAt', 'suspect'])
    .where('received_at', '>=', from)
    .where('received_at', '<=', to)
    .where('suspect', 'is', null)
    .orderBy('received_at', 'desc')

/** Counts the requests of a period whose homeowner had asked within the week before. */
export async function countRepeats(
  db: { kysely: Kysely<Tables> },
  { from, to }: Period,
): Promise<number> {
  const requests = await selectRequests(db.kysely, { from: from - repeatMs, to }).execute()
  const byKey = new Map<string, Request[]>()
  let repeats = 0
  for (const request of requests.toReversed()) {
    const { phone_key, email_key } = makeContactKeys(request)
    // A phone number has no @.
    const keys = [phone_key, email_key].filter((key) => key !== null)
    const earlier = keys.flatMap((key) => byKey.get(key) ?? [])
    if (request.receivedAt >= from && earlier.some((other) => isSameHomeowner(request, other)))
      repeats += 1
    for (const key of keys)
      byKey.set(key, [request, ...(byKey.get(key) ?? []).slice(0, maxCompared)])
  }
  return repeats
}
