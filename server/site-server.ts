import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { getConnInfo } from '@hono/node-server/conninfo'
import { fitsProxies, readClientAddress } from '#leads/client-address.ts'
import { createContext } from '#leads/context.ts'
import type { Problem } from '#leads/health/check.ts'
import { findProblems } from '#leads/health/find-problems.ts'
import { type Log, nameError } from '#leads/log.ts'
import { createService } from '#leads/service.ts'
import type { Env } from '#leads/settings.ts'
import { recordConsent } from '#leads/store/stored-settings.ts'
import { UserError } from '#leads/user-error.ts'
import * as content from '#site/content.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { connectionLimits, createLimitedServer } from './connection-limits.ts'
import { openDatabase } from './database.ts'
import { startDesk } from './desk-server.ts'
import { readMachineFacts } from './machine-facts.ts'
import { createPublisher } from './publisher.ts'
import { createStaticSite } from './static-site.ts'

// main.ts forces an exit 9.5 s after SIGTERM; this leaves 1.5 s to record results and close the database.
const graceMs = 8_000

// Gives a proxy that polls /readyz every half second (deploy/Caddyfile) time to see three failures. Closing
// earlier would drop leads in flight.
const drainMs = 2_000

/** Runs the whole product in one process: the built site, the HTTP app, delivery, and the desk. */
export async function startSite({
  env,
  siteDir,
  fetch,
  now,
  log,
}: {
  env: Env
  siteDir: string
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
}) {
  const overTls = env.publicUrl.startsWith('https:')
  const site = createStaticSite(siteDir, { overTls })
  const db = await openDatabase(env)
  const publisher = createPublisher({ db, file: content, site, siteDir, now, log })
  // Read the published page before the first visitor arrives.
  await publisher.start()
  const context = createContext({
    env,
    hours: () => publisher.content().hours,
    company: () => publisher.content().company,
    db,
    fetch,
    now,
    log,
  })
  let hasWarnedOfProxy = false
  const { app, deliverer } = createService(context, {
    findPageFault: publisher.findFault,
    readClientAddress: (c) => {
      const forwardedFor = c.req.header('x-forwarded-for')
      if (forwardedFor && env.trustedProxies === undefined && !hasWarnedOfProxy) {
        hasWarnedOfProxy = true
        log.warn(
          {},
          'a request has X-Forwarded-For, but TRUSTED_PROXIES is not set: if a proxy is in front of the site, all visitors share one rate limit',
        )
      }
      const { address } = getConnInfo(c).remote
      return readClientAddress(address, forwardedFor, env.trustedProxies ?? 0)
    },
    mayShareAddress: (c) => !fitsProxies(c.req.header('x-forwarded-for'), env.trustedProxies ?? 0),
  })
  app.all('*', site.serve)

  let stopping = false
  const handle: typeof app.fetch = (request, bindings) => {
    const { pathname } = new URL(request.url)
    // /readyz stays 200 without a database, because the page must still be served.
    if (pathname === '/readyz' || (pathname === '/healthz' && stopping))
      return answerReady(stopping)
    return app.fetch(request, bindings)
  }
  const server = createLimitedServer(handle, { behindProxy: Boolean(env.trustedProxies) })
  // Tell clients not to send another request on a connection that is about to close.
  server.prependListener('request', (_, response) => {
    if (stopping) response.setHeader('Connection', 'close')
  })
  // Raise Node's default backlog of 511: a proxy that opens more connections at the same time would wait for seconds.
  server.listen({ port: env.port, host: env.host, backlog: connectionLimits.connections })
  try {
    await once(server, 'listening')
  } catch (error) {
    publisher.stop()
    await db.close()
    throw new UserError(explainListenError(error as Error, env))
  }
  deliverer.start()
  await recordConsent(db, fillIn(publisher.content()).form.consent).catch((error) =>
    log.error({ error: nameError(error) }, 'the consent text could not be stored'),
  )
  const desk = await openDesk()

  return {
    desk,
    problems: await listStartProblems(),
    port: (server.address() as AddressInfo).port,
    async stop({ drains } = { drains: false }) {
      const endAt = now() + graceMs
      stopping = true
      publisher.stop()
      if (drains) await pause(drainMs)
      const closed = new Promise((resolve) => server.close(resolve))
      const leftMs = endAt - now()
      const timer = setTimeout(() => server.closeAllConnections(), leftMs)
      await Promise.all([closed, desk?.stop(), deliverer.stop(leftMs)])
      clearTimeout(timer)
      await db.close()
    },
  }

  /** A failing check must not prevent the site from starting. */
  async function listStartProblems(): Promise<Problem[]> {
    try {
      const machine = await readMachineFacts(env, process.env, publisher.content())
      const pageFault = publisher.findFault()
      return await findProblems('start', context, { machine, pageFault })
    } catch (error) {
      log.error({ error: nameError(error) }, 'the health checks failed at startup')
      return []
    }
  }

  /** The site runs without the desk if the desk cannot start. */
  async function openDesk() {
    if (!env.desk) return undefined
    const wake = () => deliverer.wake()
    try {
      return await startDesk(context, { settings: env.desk, wake, site, publisher })
    } catch (error) {
      const { message } = error as Error
      const why =
        error instanceof UserError ? message : explainListenError(error as Error, env.desk, 'DESK_')
      log.warn({}, `the desk could not start: ${why}`)
      return undefined
    }
  }
}

const answerReady = (stopping: boolean) =>
  Response.json(
    { ok: !stopping, ...(stopping && { stopping }) },
    { status: stopping ? 503 : 200, headers: { 'Cache-Control': 'no-store' } },
  )

function explainListenError(
  { code, message }: NodeJS.ErrnoException,
  { port, host }: { port: number; host: string },
  prefix = '',
): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Stop the other program, or set ${prefix}PORT to another number.`
  if (code === 'EACCES')
    return `Port ${port} needs root privileges. Set ${prefix}PORT to a number above 1023.`
  return `Cannot listen on ${prefix}HOST ${host}, ${prefix}PORT ${port}: ${message}.`
}
