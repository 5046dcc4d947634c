import { formatDuration } from '../alerts/clock.ts'
import { kindOf, listKnown, listNotSetUp } from '../delivery/receivers.ts'
import type { Env } from '../settings.ts'
import { listDevices } from '../store/push-devices.ts'
import { listStuck, type StuckDelivery } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'

/** What an outage may last before the owner has to know. */
const patienceMs = 5 * 60_000

const names: Record<string, string> = {
  airtable: 'Airtable takes no leads',
  email: 'Alerts by e-mail do not arrive',
  webhook: 'The webhook takes no alerts',
  sms: 'Texts do not arrive',
  push: 'A phone cannot be rung',
}

/** What is wrong and what to do about it, a sentence or two each; nothing when all is well. */
export async function findTrouble(env: Env, db: Database, now: number): Promise<string[]> {
  const devices = await listDevices(db)
  const known = listKnown(env, devices)
  const stuck = (await listStuck(db, now - patienceMs)).filter(({ channel }) => known.has(channel))
  const byKind = Map.groupBy(stuck, ({ channel }) => kindOf(channel).replace('escalation-', ''))
  const gone = devices.filter(({ goneAt }) => goneAt !== null)
  const silent = gone.map(
    ({ person, name }) =>
      `${name} of ${person} rings no more. Open the desk there and press “Ring this phone”, or remove it.`,
  )
  const notSetUp = listNotSetUp(env, devices)
  return [...notSetUp, ...silent, ...[...byKind].map(([kind, some]) => describe(kind, some, now))]
}

function describe(kind: string, stuck: readonly StuckDelivery[], now: number): string {
  const [oldest] = stuck
  const since = formatDuration(now - (oldest?.createdAt ?? now))
  return `${names[kind] ?? `${kind} fails`}: ${stuck.length} waiting, the oldest for ${since}. ${oldest?.error ?? ''}`
}
