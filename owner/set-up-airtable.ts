import { tokenPage } from '#leads/airtable/client.ts'
import { scopes, setUpAirtable } from '#leads/airtable/set-up.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { countWaiting } from '#leads/store/reading.ts'
import { type Command, type Deps, Failure, type LeadsDeps } from './leads-command.ts'
import { makeSafeJson } from './terminal.ts'

/** Before the first start there is no database, and nothing waits. */
type SetUpDeps = LeadsDeps & Pick<Deps, 'airtable'> & { db: Deps['db'] | undefined }

export async function setUp({ json }: Command, deps: SetUpDeps): Promise<number> {
  const { db, airtable, fetch, pause, stdout } = deps
  if (!airtable)
    throw new Failure(
      `Set AIRTABLE_TOKEN (from ${tokenPage}, with the scopes ${scopes.join(', ')} and access to your base) and AIRTABLE_BASE_ID (the part of the base’s address that begins with "app") in .env, then run this again.`,
    )
  const { done, todo } = await setUpAirtable(airtable, { fetch, pause })
  const ready = todo.length === 0
  if (json) {
    stdout(`${makeSafeJson({ ready, done, todo })}\n`)
    return ready ? 0 : 1
  }
  for (const line of done) stdout(`✓ ${makeSafe(line)}\n`)
  for (const line of todo) stdout(`✗ ${makeSafe(line)}\n`)
  const waiting = db && (await countWaiting(db)).find(({ channel }) => channel === 'airtable')
  if (ready && waiting)
    stdout(`Ready. ${waiting.waiting} wait for Airtable: npm run leads -- retry all\n`)
  else stdout(ready ? 'Ready.\n' : 'Do this, then run it again.\n')
  return ready ? 0 : 1
}
