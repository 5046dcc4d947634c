import type { Channel, ClaimedLead, Outcome } from '#leads/channel.ts'
import { createChannels } from '#leads/delivery/channels.ts'
import { createDeliverer } from '#leads/delivery/deliver.ts'
import { createFaultLog } from '#leads/log.ts'
import type { Env } from '#leads/settings.ts'
import { listLeads } from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { createTestLog } from './log.ts'
import { storeLead, testTime } from './saved-leads.ts'

export type Send = Channel['send']

export const succeed = ({ lead, occasion }: ClaimedLead): Outcome => ({
  leadId: lead.id,
  occasion,
  ok: true,
})
export const fail = ({ lead, occasion }: ClaimedLead): Outcome => ({
  leadId: lead.id,
  occasion,
  ok: false,
  error: 'no room',
})
export const sendWell: Send = async (claimed) => ({ outcomes: claimed.map(succeed) })

/** A process with one channel, like Airtable's, that sends as the test says. */
export function openDelivery(
  db: Database,
  send: Send,
  {
    clock = { at: testTime },
    changes = {} as Partial<Channel>,
    renewEveryMs = 10_000,
    // The clock moves by exactly as much as was waited for.
    pause = async (ms: number) => {
      clock.at += ms
    },
  } = {},
) {
  const log = createTestLog()
  const sends: { at: number; ids: string[] }[] = []
  const channel: Channel = {
    name: 'airtable',
    batchSize: 10,
    exclusive: true,
    restMs: 250,
    send: (claimed, signal) => {
      sends.push({ at: clock.at, ids: claimed.map(({ lead }) => lead.id) })
      return send(claimed, signal)
    },
    ...changes,
  }
  const deliverer = createDeliverer({
    db,
    channels: [channel],
    now: () => clock.at,
    random: () => 1,
    pause,
    log,
    faults: createFaultLog(log),
    renewEveryMs,
  })
  /** What is due now and nothing that becomes due by waiting. */
  const deliver = () => deliverer.deliverDue(1)
  return { clock, log, sends, deliverer, deliver }
}

/** A process with the channels of these settings; its waits move the clock. */
export function openChannels(
  db: Database,
  settings: Env,
  { clock = { at: testTime }, log = createTestLog(), fetch = globalThis.fetch } = {},
) {
  const now = () => clock.at
  const pause = async (ms: number) => {
    clock.at += ms
  }
  const deps = { db, now, pause, random: () => 1, log, faults: createFaultLog(log) }
  const channels = createChannels(settings, { db, fetch, pause, now })
  const deliverer = createDeliverer({ channels, ...deps })
  return { clock, log, deliver: () => deliverer.deliverDue(1) }
}

export async function saveLeads(db: Database, count: number, at = testTime): Promise<void> {
  for (let saved = 0; saved < count; saved++)
    await storeLead(db, { at, channels: ['airtable'], escalateAt: undefined })
}

export const readDeliveries = async (db: Database) =>
  (await listLeads(db, { limit: 200 })).flatMap(({ deliveries }) => deliveries)

export const readStates = async (db: Database) =>
  (await readDeliveries(db)).map(({ state }) => state).sort()
