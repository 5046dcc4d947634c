import type { AirtableDeps } from '#leads/airtable/client.ts'
import { inspectAirtable, scopes } from '#leads/airtable/set-up.ts'
import type { Env } from '#leads/settings.ts'
import { type Finding, ok, toDo } from './check.ts'

const setUp = 'npm run leads -- setup-airtable'
const settings = `.env: AIRTABLE_TOKEN (from airtable.com/create/tokens, with access to the base and the scopes ${scopes.join(', ')}) and AIRTABLE_BASE_ID (app…); then ${setUp}`
const nextSteps = { settings, airtable: 'Try again later. Until then leads are stored and wait.' }

export async function checkAirtable(
  { airtable }: Env,
  { fetch, pause }: Pick<AirtableDeps, 'fetch' | 'pause'>,
): Promise<Finding> {
  if (!airtable) return toDo('Airtable is not set up: leads are stored and wait.', settings)
  const limits = { requestTimeoutMs: 5_000, signal: AbortSignal.timeout(10_000) }
  const { todo, hindrance } = await inspectAirtable(airtable, { fetch, pause, ...limits })
  if (todo.length > 0)
    return todo.map((says) => toDo(says, hindrance ? nextSteps[hindrance] : setUp))
  return ok(`Airtable takes rows: table ${airtable.table}, every column right.`)
}
