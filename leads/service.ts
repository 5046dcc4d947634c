import type { Context as HonoContext } from 'hono'
import type { Channel } from './channels/channel-type.ts'
import { createDeviceReader, channels as ownChannels } from './channels/channels.ts'
import { rememberFaults } from './channels/mail-server.ts'
import { system as ownSystem, type System } from './channels/system.ts'
import type { Context } from './context.ts'
import { createDeliverer, type Deliverer } from './delivery/deliver.ts'
import { planDelivery } from './delivery/plan.ts'
import { findProblems } from './health/find-problems.ts'
import { createApp } from './http/app.ts'
import { createFaultLog } from './log.ts'
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
}: Pick<Context, 'env' | 'hours' | 'company' | 'db' | 'fetch' | 'now' | 'log'> & {
  /** Why visitors do not see the published page. */
  findPageFault?: () => string | undefined
  system?: System
  channels?: readonly Channel[]
  readClientAddress: (c: HonoContext) => string
  mayShareAddress: (c: HonoContext) => boolean
  /** This is called when deliveries may be due. */
  wake?: (deliverer: Deliverer) => void
}) {
  const faults = createFaultLog(log)
  const { timers } = system
  const readDevices = createDeviceReader({ db, env, now, timers }, faults)
  const pause = createPause(timers)
  const openMailServer = rememberFaults(system.openMailServer, { db, now, timers })
  const context = {
    ...system,
    openMailServer,
    env,
    hours,
    company,
    db,
    fetch,
    now,
    pause,
    log,
    readDevices,
  }
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
      findProblems('healthz', {
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
