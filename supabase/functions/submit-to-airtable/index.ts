// The entry on Supabase Edge (Deno). `supabase db push` applies the migrations to Supabase's database,
// and cron (supabase/cron.sql) is the delivery timer.

import { findClientAddress, findGatewayAddress } from '../../../leads/client-address.ts'
import { examine } from '../../../leads/health/examine.ts'
import { nameError } from '../../../leads/log.ts'
import { createService } from '../../../leads/service.ts'
import { readEnv } from '../../../leads/settings.ts'
import { openPostgres } from '../../../leads/store/postgres.ts'
import { UserError } from '../../../leads/user-error.ts'

// Only Supabase's runtime has this.
declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined

// The free plan ends a worker after 150 s. The next run of cron sends the rest.
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

// Many workers run at once, each with its own connections.
const db = openPostgres(env.databaseUrl, { leads: 2, others: 1 })

// A self-hosted project has another address.
const behindCloudflare = /^https:\/\/[^/]+\.supabase\.co(\/|$)/.test(
  Deno.env.get('SUPABASE_URL') ?? '',
)

const { app } = createService({
  env,
  db,
  fetch,
  now: Date.now,
  log,
  wake: (deliverer) => {
    const work = deliverer.deliverDue(deliveryBudgetMs)
    // Keeps the worker alive if possible. Cron sends what is left.
    if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(work)
  },
  findClientAddress: (c) => {
    const getHeader = (name: string) => c.req.header(name)
    return env.trustedProxies === undefined
      ? findGatewayAddress(getHeader, { behindCloudflare })
      : findClientAddress(undefined, getHeader('x-forwarded-for'), env.trustedProxies)
  },
})

examine('start', { env, db, now: Date.now })
  .then((problems) => {
    for (const { id, forDeveloper } of problems) log.warn({ id }, forDeveloper.text)
  })
  .catch((error) => log.error({ error: nameError(error) }, 'the health checks failed at start'))

Deno.serve((request) => app.fetch(request))
