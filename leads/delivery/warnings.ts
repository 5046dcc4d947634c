import { webhookGone } from '../alerts/webhook.ts'
import type { Env } from '../settings.ts'
import { listDevices } from '../store/push-devices.ts'
import type { Backlog } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { kindOf, listKnown, type ReceiverSettings } from './receivers.ts'
import { isWebhookStopped } from './stopped-webhook.ts'

const alertLagMs = 60_000
const airtableLagMs = 10 * 60_000

/** What the owner should look at, in sentences without personal data. */
export async function listWarnings(
  settings: ReceiverSettings & Pick<Env, 'airtable'>,
  db: Database,
  backlog: readonly Backlog[],
  now: number,
): Promise<string[]> {
  const { airtable, webhook } = settings
  // Leads are planned for Airtable before it is set up, which is said elsewhere.
  const all = backlog.filter(({ channel }) => channel !== 'airtable' || airtable)
  const known = listKnown(settings, await listDevices(db))
  const groupByKind = (isKnown: boolean) =>
    Map.groupBy(
      all.filter(({ channel }) => known.has(channel) === isKnown),
      ({ channel }) => kindOf(channel),
    )
  const countAll = (group: readonly Backlog[]) => group.reduce((sum, one) => sum + one.waiting, 0)

  const warnings = [...groupByKind(true)].flatMap(([kind, group]) => {
    const waitedMs = now - Math.min(...group.map(({ oldestAt }) => oldestAt))
    const isLate = waitedMs > (kind === 'airtable' ? airtableLagMs : alertLagMs)
    const waiting = `${countAll(group)} wait, the oldest for ${Math.round(waitedMs / 1000)} s.`
    return isLate ? [`${kind} lags: ${waiting}`] : []
  })
  const gone = groupByKind(false)
  const forNobody = countAll([...gone.values()].flat())
  if (forNobody > 0) {
    const [wait, them] = forNobody === 1 ? ['alert waits', 'it'] : ['alerts wait', 'them']
    const kinds = [...gone.keys()].join(', ')
    warnings.push(
      `${forNobody} ${wait} for a receiver who is gone (${kinds}). npm run leads tells which, and how to drop ${them}.`,
    )
  }
  if (webhook && (await isWebhookStopped(db, webhook.url))) warnings.push(webhookGone)
  return warnings
}
