// The entry on Supabase Edge (Deno). The database is Supabase's own; `supabase db push` applies the
// migrations, and cron (supabase/cron.sql) is the delivery timer.

import { findClientAddress, findGatewayAddress } from '../../../leads/client-address.ts'
import { createService } from '../../../leads/service.ts'
import { readEnv } from '../../../leads/settings.ts'
import { openPostgres } from '../../../leads/store/postgres.ts'
import { UserError } from '../../../leads/user-error.ts'

// Given by Supabase's runtime only.
declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined

// The free plan ends a worker after 150 s; what is not sent by then is left to the next minute.
const deliveryBudgetMs = 100_000

const env = readEnv(Deno.env.toObject())
if (!env.databaseUrl) throw new UserError('Neither DATABASE_URL nor SUPABASE_DB_URL is set.')

const write = (level: string) => (fields: object, message: string) =>
  Deno.stderr.writeSync(
    new TextEncoder().encode(
      `${JSON.stringify({ level, time: Date.now(), ...fields, msg: message })}\n`,
    ),
  )
const log = { info: write('info'), warn: write('warn'), error: write('error') }

// Many workers run at once, each with connections of its own.
const db = openPostgres(env.databaseUrl, { leads: 2, others: 1 })

// A project that somebody hosts themselves has another address.
const behindCloudflare = /^https:\/\/[^/]+\.supabase\.co(\/|$)/.test(
  Deno.env.get('SUPABASE_URL') ?? '',
)

const { app, findNotSetUp } = createService({
  env,
  db,
  fetch,
  now: Date.now,
  log,
  wake: (deliverer) => {
    const work = deliverer.deliverDue(deliveryBudgetMs)
    // Keeps the worker alive for it, if it can. The minute's cron is what can be relied on.
    if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(work)
  },
  findClientAddress: (c) => {
    const getHeader = (name: string) => c.req.header(name)
    return env.trustedProxies === undefined
      ? findGatewayAddress(getHeader, { behindCloudflare })
      : findClientAddress(undefined, getHeader('x-forwarded-for'), env.trustedProxies)
  },
})

findNotSetUp().then((sentences) => {
  for (const sentence of sentences) log.warn({}, sentence)
})

Deno.serve((request) => app.fetch(request))
