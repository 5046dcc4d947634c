import { tokenPage } from '#leads/airtable/client.ts'
import { scopes, setUpAirtable } from '#leads/airtable/set-up.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { countWaiting } from '#leads/store/reading.ts'
import { UserError } from '#leads/user-error.ts'
import type { LeadsDeps, Opened, Outcome } from './leads-command.ts'

/** Works before the first start, too, when there is no database and nothing waits. */
export async function setUp({ db, airtable, fetch, pause }: LeadsDeps & Opened): Promise<Outcome> {
  if (!airtable)
    throw new UserError(
      `Set AIRTABLE_TOKEN (from ${tokenPage}, with the scopes ${scopes.join(', ')} and access to your base) and AIRTABLE_BASE_ID (the part of the base’s address that begins with "app") in .env, then run this again.`,
    )
  const { done, todo } = await setUpAirtable(airtable, { fetch, pause })
  const ready = todo.length === 0
  const waiting = db && (await countWaiting(db)).find(({ channel }) => channel === 'airtable')
  const retry = waiting ? ` ${waiting.waiting} wait for Airtable: npm run leads -- retry all` : ''
  const lines = [
    ...done.map((line) => `✓ ${makeSafe(line)}\n`),
    ...todo.map((line) => `✗ ${makeSafe(line)}\n`),
    ready ? `Ready.${retry}\n` : 'Do this, then run it again.\n',
  ]
  return { json: { ready, done, todo }, text: lines.join(''), isDone: ready }
}
