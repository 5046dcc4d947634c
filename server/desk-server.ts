import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { findClientAddress } from '#leads/client-address.ts'
import { createDeskService } from '#leads/desk/service.ts'
import { makeLink } from '#leads/desk/sign-in.ts'
import type { Log } from '#leads/log.ts'
import type { Env } from '#leads/settings.ts'
import type { Database } from '#leads/store/tables.ts'
import { company } from '#site/content.ts'
import { connectionLimits, limitConnections } from './connection-limits.ts'
import { loadDeskPage } from './desk-page.ts'
import { findMachineTrouble } from './machine-trouble.ts'
import { createStaticSite } from './static-site.ts'

const deskDir = join(import.meta.dirname, '../dist-desk')

export type DeskServer = {
  url: string
  /** Opens the desk once, for whoever sits at the machine. */
  makeLink: () => Promise<string>
  stop: () => Promise<void>
}

/** The desk on a port of its own: another origin, so that the public page knows no cookie. */
export async function startDesk({
  env,
  db,
  fetch,
  now,
  log,
  wake,
  folder = deskDir,
}: {
  env: Env & { desk: NonNullable<Env['desk']> }
  db: Database
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
  wake: () => void
  folder?: string
}): Promise<DeskServer> {
  const { port, host } = env.desk
  const overTls = env.desk.url.startsWith('https:')
  const staticPage = createStaticSite(folder, { overTls })
  const sendPage = await loadDeskPage(folder, { timeZone: env.timeZone, overTls, staticPage })
  const server = createAdaptorServer({
    fetch: (request, bindings) => desk.fetch(request, bindings),
    serverOptions: { connectionsCheckingInterval: connectionLimits.checkEveryMs },
  }) as Server
  limitConnections(server, connectionLimits, { countsClients: !env.trustedProxies })
  server.listen({ port, host })
  await once(server, 'listening')
  // Known only now where any free port was asked for.
  const url =
    port === 0 ? `http://localhost:${(server.address() as AddressInfo).port}` : env.desk.url
  const { app: desk } = createDeskService({
    env: { ...env, desk: { ...env.desk, url } },
    db,
    fetch,
    now,
    log,
    company: company.name,
    findClientAddress: (c) =>
      findClientAddress(
        getConnInfo(c).remote.address,
        c.req.header('x-forwarded-for'),
        env.trustedProxies ?? 0,
      ),
    sendPage,
    findMachineTrouble: () => findMachineTrouble(env, process.env, now()),
    wake,
  })
  desk.all('*', staticPage)
  return {
    url,
    makeLink: () => makeLink(db, { ...env.desk, url, now: now() }),
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
