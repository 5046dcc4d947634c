// The entry point on Supabase Edge Functions (Deno). `supabase db push` applies the migrations, and a cron
// job (supabase/cron.sql) starts due deliveries.

import {
  fitsProxies,
  readClientAddress,
  readGatewayAddress,
} from '../../../leads/client-address.ts'
import { createContext } from '../../../leads/context.ts'
import { findProblems } from '../../../leads/health/find-problems.ts'
import { nameError } from '../../../leads/log.ts'
import { createService } from '../../../leads/service.ts'
import { readEnv } from '../../../leads/settings.ts'
import { openPostgres } from '../../../leads/store/postgres.ts'
import { checkTables } from '../../../leads/store/tables.ts'
import { UserError } from '../../../leads/user-error.ts'
import { company, hours } from '../../../site/content.ts'

// This global exists only in Supabase's runtime.
declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void } | undefined

// The free plan stops a worker after 150 s. The next cron call sends the remaining deliveries.
const deliveryBudgetMs = 100_000

const env = readEnv(Deno.env.toObject())
if (!env.databaseUrl)
  throw new UserError('No database is configured. Set DATABASE_URL or SUPABASE_DB_URL.')

const write = (level: string) => (fields: object, message: string) =>
  Deno.stderr.writeSync(
    new TextEncoder().encode(
      `${JSON.stringify({ level, time: Date.now(), ...fields, msg: message })}\n`,
    ),
  )
const log = { info: write('info'), warn: write('warn'), error: write('error') }

// Keep the pools small, because many workers run in parallel.
const db = openPostgres(env.databaseUrl, { leads: 2, others: 1 })

// If the database is unavailable, start anyway and answer 503 until it is back.
await checkTables(db).catch((error) => {
  if (error instanceof UserError) throw error
})

// Self-hosted projects use a different domain and may not be behind Cloudflare.
const behindCloudflare = /^https:\/\/[^/]+\.supabase\.co(\/|$)/.test(
  Deno.env.get('SUPABASE_URL') ?? '',
)

const context = createContext({
  env,
  hours: () => hours,
  company: () => company,
  db,
  fetch,
  now: Date.now,
  log,
})
const { app } = createService(context, {
  wake: (deliverer) => {
    const work = deliverer.deliverDue(deliveryBudgetMs)
    // Keep the worker alive if possible; otherwise the next cron call sends the deliveries.
    if (typeof EdgeRuntime !== 'undefined') EdgeRuntime.waitUntil(work)
  },
  readClientAddress: (c) => {
    const getHeader = (name: string) => c.req.header(name)
    return env.trustedProxies === undefined
      ? readGatewayAddress(getHeader, { behindCloudflare })
      : readClientAddress(undefined, getHeader('x-forwarded-for'), env.trustedProxies)
  },
  mayShareAddress: (c) =>
    env.trustedProxies === undefined
      ? !behindCloudflare || !c.req.header('cf-connecting-ip')
      : !fitsProxies(c.req.header('x-forwarded-for'), env.trustedProxies),
})

findProblems('start', context)
  .then((problems) => {
    for (const { id, text } of problems) log.warn({ id }, text)
  })
  .catch((error) => log.error({ error: nameError(error) }, 'the health checks failed at startup'))

Deno.serve((request) => app.fetch(request))
