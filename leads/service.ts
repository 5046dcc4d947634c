import type { Context } from 'hono'
import { createChannels } from './delivery/channels.ts'
import { createDeliverer, type Deliverer } from './delivery/deliver.ts'
import { createDeviceReader } from './delivery/known-devices.ts'
import { listReminderChannels, planDelivery } from './delivery/plan.ts'
import { listPushChannels } from './delivery/push-channel.ts'
import { listNotSetUp } from './delivery/receivers.ts'
import { remindDue } from './delivery/reminders.ts'
import { listWarnings } from './delivery/warnings.ts'
import { createApp } from './http/app.ts'
import { createFaultLog, type Log } from './log.ts'
import type { Env } from './settings.ts'
import type { Database } from './store/tables.ts'

// A visitor waits for the answer meanwhile.
const devicePatienceMs = 300

/** Wires what becomes of a lead. The two homes, Node and Supabase, differ in what they pass here. */
export function createService({
  env,
  db,
  fetch,
  now,
  log,
  findClientAddress,
  wake = (deliverer) => deliverer.wake(),
}: {
  env: Env
  db: Database
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
  findClientAddress: (c: Context) => string
  /** Deliveries may be due. */
  wake?: (deliverer: Deliverer) => void
}) {
  const faults = createFaultLog(log)
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const deps = { db, fetch, pause, now, log }
  const readDevices = createDeviceReader(db, faults)
  const findNotSetUp = async () => listNotSetUp(env, await readDevices())
  const reminders = { ...env, ...deps, readDevices, channels: listReminderChannels(env) }
  const deliverer = createDeliverer({
    ...deps,
    channels: createChannels(env, deps),
    findMore: async () => listPushChannels(await readDevices(), env, deps),
    remindDue: () => remindDue(reminders),
    random: Math.random,
    faults,
  })
  const app = createApp({
    ...env,
    db,
    now,
    log,
    faults,
    planDelivery: async (about, at) => {
      const devices = about.suspect === null ? await readDevices(devicePatienceMs) : []
      return planDelivery(env, devices, about, at)
    },
    findNotSetUp,
    findWarnings: (backlog, at) => listWarnings(env, db, backlog, at),
    wake: () => wake(deliverer),
    findClientAddress,
  })
  return { app, deliverer, findNotSetUp }
}
