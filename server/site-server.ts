import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { findClientAddress } from '#leads/client-address.ts'
import type { Log } from '#leads/log.ts'
import { createService } from '#leads/service.ts'
import type { Env } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { connectionLimits, limitConnections } from './connection-limits.ts'
import { openDatabase } from './database.ts'
import { type DeskServer, startDesk } from './desk-server.ts'
import { keepAssets } from './kept-assets.ts'
import { createStaticSite } from './static-site.ts'

// SIGTERM promises an end within 10 s; this leaves two to settle and to close the database.
const graceMs = 8_000

// A proxy that asks /readyz every half second (deploy/Caddyfile) has then heard three times that
// this process takes no more. Closing earlier, a lead that is already on its way would break off.
const drainMs = 2_000

/** The whole product in one process: the built site, the function and the delivery timer. */
export async function startSite({
  env,
  siteDir,
  keptAssets,
  fetch,
  now,
  log,
}: {
  env: Env
  siteDir: string
  /** Where hashed files outlive the version that brought them; not needed where the build sees to it. */
  keptAssets?: string | undefined
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
}): Promise<{
  port: number
  desk: DeskServer | undefined
  notSetUp: readonly string[]
  stop(options?: { drains: boolean }): Promise<void>
}> {
  if (keptAssets) keepAssets(join(siteDir, 'assets'), { folder: keptAssets, now: now(), log })
  const overTls = env.publicUrl.startsWith('https:')
  const site = createStaticSite(siteDir, { overTls, keptAssets })
  const db = await openDatabase(env)
  let proxyMentioned = false
  const { app, deliverer, findNotSetUp } = createService({
    env,
    db,
    fetch,
    now,
    log,
    findClientAddress: (c) => {
      const forwardedFor = c.req.header('x-forwarded-for')
      if (forwardedFor && env.trustedProxies === undefined && !proxyMentioned) {
        proxyMentioned = true
        log.warn(
          {},
          'a request carries X-Forwarded-For and TRUSTED_PROXIES is not set: if a proxy stands in front, all visitors share one rate limit',
        )
      }
      const { address } = getConnInfo(c).remote
      return findClientAddress(address, forwardedFor, env.trustedProxies ?? 0)
    },
  })
  app.all('*', site)

  let stopping = false
  const server = createAdaptorServer({
    fetch: (request, bindings) => {
      const { pathname } = new URL(request.url)
      // Beside /healthz: without a database no lead can be stored, but the page must still be served.
      if (pathname === '/readyz' || (pathname === '/healthz' && stopping))
        return answerReady(stopping)
      return app.fetch(request, bindings)
    },
    serverOptions: { connectionsCheckingInterval: connectionLimits.checkEveryMs },
  }) as Server
  limitConnections(server, connectionLimits, { countsClients: !env.trustedProxies })
  // Told so, the other side does not send its next request into a connection that is about to close.
  server.prependListener('request', (_, response) => {
    if (stopping) response.setHeader('Connection', 'close')
  })
  // Node's own backlog is 511: a proxy that opens more at once waited seconds for the rest.
  server.listen({ port: env.port, host: env.host, backlog: connectionLimits.connections })
  try {
    await once(server, 'listening')
  } catch (error) {
    await db.close()
    throw new UserError(explainListenError(error as Error, env.port, env.host))
  }
  deliverer.start()
  const desk = await openDesk()

  return {
    desk,
    notSetUp: await findNotSetUp(),
    port: (server.address() as AddressInfo).port,
    async stop({ drains } = { drains: false }) {
      const endAt = now() + graceMs
      stopping = true
      if (drains) await pause(drainMs)
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const leftMs = endAt - now()
      const timer = setTimeout(() => server.closeAllConnections(), leftMs)
      await Promise.all([closed, desk?.stop(), deliverer.stop(leftMs)])
      clearTimeout(timer)
      await db.close()
    },
  }

  /** A desk that cannot be opened costs no lead: the site runs without it. */
  async function openDesk(): Promise<DeskServer | undefined> {
    if (!env.desk) return undefined
    const wake = () => deliverer.wake()
    try {
      return await startDesk({ env: { ...env, desk: env.desk }, db, fetch, now, log, wake })
    } catch (error) {
      const { port, host } = env.desk
      const why =
        error instanceof UserError
          ? error.message
          : explainListenError(error as Error, port, host)
              .replaceAll('PORT', 'DESK_PORT')
              .replace('HOST', 'DESK_HOST')
      log.warn({}, `there is no desk: ${why}`)
      return undefined
    }
  }
}

const answerReady = (stopping: boolean) =>
  Response.json(
    { ok: !stopping, ...(stopping && { stopping }) },
    { status: stopping ? 503 : 200, headers: { 'Cache-Control': 'no-store' } },
  )

function explainListenError({ code, message }: NodeJS.ErrnoException, port: number, host: string) {
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use: stop what uses it, or set PORT to another.`
  if (code === 'EACCES') return `Port ${port} needs more rights: set PORT to one above 1023.`
  return `Nothing can listen on HOST ${host}, PORT ${port}: ${message}.`
}
