import type { AirtableDeps } from '../supabase/functions/submit-to-airtable/airtable.ts'
import { inspectAirtable } from '../supabase/functions/submit-to-airtable/airtable-setup.ts'
import type { Env } from '../supabase/functions/submit-to-airtable/env.ts'
import { type Check, ok, toDo } from './check.ts'

const setUp = 'npm run leads -- setup-airtable'
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
        `.env: AIRTABLE_TOKEN (from airtable.com/create/tokens) and AIRTABLE_BASE_ID (app…); then ${setUp}`,
      ),
    ]
  const { todo } = await inspectAirtable(airtable, {
    fetch,
    pause,
    requestTimeoutMs,
    signal: AbortSignal.timeout(allRequestsTimeoutMs),
  })
  if (todo.length > 0) return todo.map((says) => toDo('airtable', says, setUp))
  return [ok('airtable', `Airtable takes rows: table ${airtable.table}, every column right.`)]
}
