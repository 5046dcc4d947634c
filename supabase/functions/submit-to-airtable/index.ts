// The entry on Supabase Edge (Deno). The database is Supabase's own; `supabase db push` applies the
// migrations, and cron (supabase/cron.sql) is the delivery timer.

import { findClientAddress, findGatewayAddress } from '../../../leads/client-address.ts'
import {
  createChannels,
  listEscalationChannels,
  listWarnings,
  planDelivery,
} from '../../../leads/delivery/channels.ts'
import { createDeliverer } from '../../../leads/delivery/deliver.ts'
import { escalateDue } from '../../../leads/delivery/reminders.ts'
import { createApp } from '../../../leads/http/app.ts'
import { createFaultLog } from '../../../leads/log.ts'
import { readEnv } from '../../../leads/settings.ts'
import { openPostgres } from '../../../leads/store/postgres.ts'

// Given by Supabase's runtime only.
declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined

// The free plan ends a worker after 150 s; what is not sent by then is left to the next minute.
const deliveryBudgetMs = 100_000

const env = readEnv(Deno.env.toObject())
if (!env.databaseUrl) throw new Error('Neither DATABASE_URL nor SUPABASE_DB_URL is set.')

const write = (level: string) => (fields: object, message: string) =>
  Deno.stderr.writeSync(
    new TextEncoder().encode(
      `${JSON.stringify({ level, time: Date.now(), ...fields, msg: message })}\n`,
    ),
  )
const log = { info: write('info'), warn: write('warn'), error: write('error') }
for (const sentence of env.notSetUp) log.warn({}, sentence)

// Many workers run at once, each with connections of its own.
const db = openPostgres(env.databaseUrl, { leads: 2, others: 1 })
const faults = createFaultLog(log)
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const deliverer = createDeliverer({
  db,
  channels: createChannels(env, { db, fetch, pause, now: Date.now }),
  escalateDue: () =>
    escalateDue({
      ...env,
      db,
      channels: listEscalationChannels(env),
      fetch,
      pause,
      now: Date.now,
      log,
    }),
  now: Date.now,
  random: Math.random,
  pause,
  log,
  faults,
})

// A project that somebody hosts themselves has another address.
const behindCloudflare = /^https:\/\/[^/]+\.supabase\.co(\/|$)/.test(
  Deno.env.get('SUPABASE_URL') ?? '',
)

const app = createApp({
  db,
  planDelivery: (details, now) => planDelivery(env, details, now),
  findWarnings: (backlog, now) => listWarnings(env, db, backlog, now),
  linkSecret: env.linkSecret,
  timeZone: env.timeZone,
  anonKeys: env.anonKeys,
  publicUrl: env.publicUrl,
  allowedOrigins: env.allowedOrigins,
  rateLimitPerMinute: env.rateLimitPerMinute,
  notSetUp: env.notSetUp,
  now: Date.now,
  log,
  faults,
  wake: () => {
    const work = deliverer.deliverDue(deliveryBudgetMs)
    // Keeps the worker alive for it, if it can. The minute's cron is what can be relied on.
    if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(work)
  },
  trustedProxies: env.trustedProxies,
  findClientAddress: (c) => {
    const getHeader = (name: string) => c.req.header(name)
    return env.trustedProxies === undefined
      ? findGatewayAddress(getHeader, { behindCloudflare })
      : findClientAddress(undefined, getHeader('x-forwarded-for'), env.trustedProxies)
  },
})

Deno.serve((request) => app.fetch(request))
