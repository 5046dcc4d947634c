import type { Context } from 'hono'
import type { Channel, Company } from './channels/channel-type.ts'
import { createDeviceReader, channels as ownChannels } from './channels/channels.ts'
import { system as ownSystem, type System } from './channels/system.ts'
import { createDeliverer, type Deliverer } from './delivery/deliver.ts'
import { planDelivery } from './delivery/plan.ts'
import { examine } from './health/examine.ts'
import type { BusinessHours } from './hours.ts'
import { createApp } from './http/app.ts'
import { createFaultLog, type Log } from './log.ts'
import type { Env } from './settings.ts'
import type { Database } from './store/tables.ts'
import { createPause } from './timers.ts'

/** Connects the HTTP app with delivery, for both runtimes (Node and Supabase Edge). */
export function createService({
  env,
  hours,
  company,
  findPageFault,
  db,
  fetch,
  now,
  log,
  system = ownSystem,
  channels = ownChannels,
  readClientAddress,
  mayShareAddress,
  wake = (deliverer) => deliverer.wake(),
}: {
  env: Env
  /** The published hours and details, which the owner may change while the site runs. */
  hours: () => BusinessHours
  company: () => Company
  /** Why visitors do not see the published page. */
  findPageFault?: () => string | undefined
  db: Database
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
  system?: System
  channels?: readonly Channel[]
  readClientAddress: (c: Context) => string
  mayShareAddress: (c: Context) => boolean
  /** Called when deliveries may be due. */
  wake?: (deliverer: Deliverer) => void
}) {
  const faults = createFaultLog(log)
  const { timers } = system
  const readDevices = createDeviceReader({ db, env, now, timers }, faults)
  const pause = createPause(timers)
  const context = { ...system, env, hours, company, db, fetch, now, pause, log, readDevices }
  const deliverer = createDeliverer(context, { faults, all: channels })
  const app = createApp({
    ...env,
    ...system,
    hours,
    db,
    now,
    log,
    faults,
    planDelivery: (lead) => planDelivery(context, lead),
    listProblems: (databaseFault) =>
      examine('healthz', {
        env,
        hours: hours(),
        db,
        now,
        databaseFault,
        pageFault: findPageFault?.(),
      }),
    wake: () => wake(deliverer),
    readClientAddress,
    mayShareAddress,
  })
  return { app, deliverer }
}
