import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getConnInfo } from '@hono/node-server/conninfo'
import { findClientAddress } from '#leads/client-address.ts'
import { createDeskService } from '#leads/desk/service.ts'
import { makeLink } from '#leads/desk/sign-in.ts'
import type { Log } from '#leads/log.ts'
import type { Env } from '#leads/settings.ts'
import type { Database } from '#leads/store/tables.ts'
import * as content from '#site/content.ts'
import { createLimitedServer } from './connection-limits.ts'
import { loadDeskPage } from './desk-page.ts'
import { readMachineFacts } from './machine-facts.ts'
import { createStaticSite } from './static-site.ts'

const deskDir = join(import.meta.dirname, '../dist-desk')

export type DeskServer = {
  url: string
  /** Creates a sign-in link that works once. */
  makeLink: () => Promise<string>
  stop: () => Promise<void>
}

type Context = {
  env: Env & { desk: NonNullable<Env['desk']> }
  db: Database
  fetch: typeof globalThis.fetch
  now: () => number
  log: Log
}

/** Serves the desk on its own port: a separate origin, so its cookie never reaches the public page. */
export async function startDesk(context: Context, wake: () => void): Promise<DeskServer> {
  const { env, db, now } = context
  const { port, host } = env.desk
  const overTls = env.desk.url.startsWith('https:')
  const staticPage = createStaticSite(deskDir, { overTls })
  const sendPage = await loadDeskPage(deskDir, { overTls, staticPage })
  const server = createLimitedServer((request, bindings) => desk.fetch(request, bindings), {
    behindProxy: Boolean(env.trustedProxies),
  })
  server.listen({ port, host })
  await once(server, 'listening')
  // With port 0, the operating system assigns a port.
  const url =
    port === 0 ? `http://localhost:${(server.address() as AddressInfo).port}` : env.desk.url
  const { hours, company } = content
  const deskContext = { ...context, hours, company, env: { ...env, desk: { ...env.desk, url } } }
  const desk = createDeskService(deskContext, {
    findClientAddress: (c) =>
      findClientAddress(
        getConnInfo(c).remote.address,
        c.req.header('x-forwarded-for'),
        env.trustedProxies ?? 0,
      ),
    sendPage,
    readMachine: () => readMachineFacts(env, process.env, content),
    wake,
  })
  desk.all('*', staticPage)
  return {
    url,
    makeLink: () => makeLink(db, { url, now: now() }),
    stop: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
