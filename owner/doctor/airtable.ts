import type { AirtableDeps } from '#leads/airtable/client.ts'
import { inspectAirtable, scopes } from '#leads/airtable/set-up.ts'
import type { Env } from '#leads/settings.ts'
import { type Check, ok, toDo } from './check.ts'

const setUp = 'npm run leads -- setup-airtable'
const lines = `.env: AIRTABLE_TOKEN (from airtable.com/create/tokens, with access to the base and the scopes ${scopes.join(', ')}) and AIRTABLE_BASE_ID`
const requestTimeoutMs = 5_000
const allRequestsTimeoutMs = 10_000

export async function checkAirtable(
  { airtable }: Env,
  { fetch, pause }: Pick<AirtableDeps, 'fetch' | 'pause'>,
): Promise<Check[]> {
  if (!airtable)
    return [
      toDo(
        'airtable',
        'Airtable is not set up: leads are stored and wait.',
        `${lines} (app…); then ${setUp}`,
      ),
    ]
  const { todo, hindrance } = await inspectAirtable(airtable, {
    fetch,
    pause,
    requestTimeoutMs,
    signal: AbortSignal.timeout(allRequestsTimeoutMs),
  })
  const next =
    hindrance === 'settings'
      ? lines
      : hindrance === 'airtable'
        ? 'Try again later. Until then leads are stored and wait.'
        : setUp
  if (todo.length > 0) return todo.map((says) => toDo('airtable', says, next))
  return [ok('airtable', `Airtable takes rows: table ${airtable.table}, every column right.`)]
}
