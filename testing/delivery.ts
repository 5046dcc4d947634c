import type { Channel, Recipient, Result } from '#leads/channels/channel-type.ts'
import { findSettings, listRecipients } from '#leads/channels/channels.ts'
import { system } from '#leads/channels/system.ts'
import { type Context, createContext } from '#leads/context.ts'
import { createDeliverer } from '#leads/delivery/deliver.ts'
import type { DeliveryReason } from '#leads/delivery-reason.ts'
import { type BusinessHours, isOpen } from '#leads/hours.ts'
import { createFaultLog } from '#leads/log.ts'
import type { Env } from '#leads/settings.ts'
import type { ClaimedLead } from '#leads/store/claims.ts'
import type { Database } from '#leads/store/tables.ts'
import { dayMs } from '#leads/time-units.ts'
import type { Timers } from '#leads/timers.ts'
import { createTestLog } from './log.ts'
import {
  alwaysOpen,
  listLeads,
  storedJane,
  storeLead,
  testCompany,
  testTime,
} from './saved-leads.ts'
import { makeSettings } from './settings.ts'

export type ContextOptions = {
  clock?: { at: number }
  log?: ReturnType<typeof createTestLog>
  fetch?: typeof globalThis.fetch | undefined
  pause?: Context['pause']
  timers?: Timers
  hours?: BusinessHours | undefined
}

/** Creates the dependencies of channels and delivery. By default, a pause only moves the clock. */
export function createTestContext(
  db: Database,
  env: Env = makeSettings(),
  {
    clock = { at: testTime },
    log = createTestLog(),
    fetch = globalThis.fetch,
    pause = async (ms) => {
      clock.at += ms
    },
    timers = system.timers,
    hours = alwaysOpen,
  }: ContextOptions = {},
) {
  const faults = createFaultLog(log)
  const own = createContext({
    env,
    hours: () => hours,
    company: () => testCompany,
    db,
    fetch,
    now: () => clock.at,
    log,
    system: { ...system, random: () => 1, timers },
  })
  // Ignore the timeout for reading devices, which a slow machine could exceed.
  const context = { ...own, pause, readDevices: () => own.readDevices() }
  return { context, clock, log, faults }
}

/** Sends one message about a lead through a channel to its first recipient. */
export async function sendThrough(
  channel: Channel,
  context: Context,
  {
    lead = storedJane,
    reason = 'received' as DeliveryReason,
    revision = 0,
    signal = AbortSignal.timeout(10_000),
    recipient = undefined as Recipient | undefined,
  } = {},
): Promise<Result | undefined> {
  const settings = findSettings(channel, context)
  const opening = { lead, reason, isOpen: isOpen(context.now(), context.hours()) }
  const to = recipient ?? (await listRecipients(channel, context, opening))[0]
  if (!to) throw new Error(`The channel ${channel.kind} has no recipient.`)
  const claimed = [{ lead, reason, attempts: 1, revision, dueAt: 0, messageId: 'message' }]
  const [result] = await channel.send(claimed, to, { ...context, settings }, signal)
  return result
}

export type Send = (claimed: readonly ClaimedLead[], signal: AbortSignal) => Promise<Result[]>

export const succeed = (): Result => ({ ok: true })
export const fail = (): Result => ({ ok: false, error: 'disk full' })
export const sendWell: Send = async (claimed) => claimed.map(succeed)

/** Creates a channel with one recipient and the test's send function. */
export const createFakeChannel = (
  kind: string,
  send: Send,
  changes: Partial<Channel> = {},
): Channel => ({
  kind,
  label: kind,
  reasons: ['received'],
  recipients: async () => [{ name: kind, to: '', label: '' }],
  send: (claimed, _, __, signal) => send(claimed, signal),
  explainFailure: () => '',
  doctorCheck: async () => [],
  batchSize: 1,
  isAlert: true,
  expiresAfterMs: dayMs,
  ...changes,
})

/** Simulates a process whose only channel has Airtable's limits. */
export function openDelivery(
  db: Database,
  send: Send,
  {
    changes = {},
    renewEveryMs = 5_000,
    ...options
  }: ContextOptions & { changes?: Partial<Channel>; renewEveryMs?: number } = {},
) {
  const { context, clock, log, faults } = createTestContext(db, makeSettings(), options)
  const sends: { at: number; ids: string[] }[] = []
  const channel = createFakeChannel(
    'airtable',
    (claimed, signal) => {
      sends.push({ at: clock.at, ids: claimed.map(({ lead }) => lead.id) })
      return send(claimed, signal)
    },
    {
      batchSize: 10,
      restMs: 250,
      isAlert: false,
      expiresAfterMs: null,
      ...changes,
    },
  )
  const env = { ...context.env, [channel.kind]: {} }
  const deliverer = createDeliverer({ ...context, env }, { all: [channel], faults, renewEveryMs })
  /** Sends the deliveries that are due now, but none that become due later. */
  const deliver = () => deliverer.deliverDue(1)
  return { clock, log, sends, deliverer, deliver }
}

/** Simulates a process with the channels in these settings. */
export function openChannels(db: Database, env: Env, options: ContextOptions = {}) {
  const { context, clock, log, faults } = createTestContext(db, env, options)
  const deliverer = createDeliverer(context, { faults })
  return { context, clock, log, deliver: () => deliverer.deliverDue(1) }
}

export async function saveLeads(db: Database, count: number, at = testTime): Promise<void> {
  for (let saved = 0; saved < count; saved++)
    await storeLead(db, { at, recipients: ['airtable'], stepAt: undefined })
}

export const readDeliveries = async (db: Database) =>
  (await listLeads(db, { limit: 200 })).flatMap(({ deliveries }) => deliveries)

export const readStates = async (db: Database) =>
  (await readDeliveries(db)).map(({ state }) => state).sort()
