import type { Context } from 'hono'
import {
  createChannels,
  listEscalationChannels,
  listWarnings,
  planDelivery,
} from './delivery/channels.ts'
import { createDeliverer, type Deliverer } from './delivery/deliver.ts'
import { escalateDue } from './delivery/reminders.ts'
import { createApp } from './http/app.ts'
import { createFaultLog, type Log } from './log.ts'
import type { Env } from './settings.ts'
import type { Database } from './store/tables.ts'

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
  const reminders = { ...env, ...deps, channels: listEscalationChannels(env) }
  const deliverer = createDeliverer({
    ...deps,
    channels: createChannels(env, deps),
    escalateDue: () => escalateDue(reminders),
    random: Math.random,
    faults,
  })
  const app = createApp({
    ...env,
    db,
    now,
    log,
    faults,
    planDelivery: (details, at) => planDelivery(env, details, at),
    findWarnings: (backlog, at) => listWarnings(env, db, backlog, at),
    wake: () => wake(deliverer),
    findClientAddress,
  })
  return { app, deliverer }
}
