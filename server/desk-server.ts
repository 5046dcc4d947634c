import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context as HonoContext } from 'hono'
import { readClientAddress } from '#leads/client-address.ts'
import type { Context } from '#leads/context.ts'
import { createDeskService } from '#leads/desk/service.ts'
import { makeLink } from '#leads/desk/sign-in.ts'
import type { Today } from '#leads/desk/today.ts'
import type { Env } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import * as content from '#site/content.ts'
import { parseSiteHeaders } from '#site/render/site-headers.ts'
import { createLimitedServer } from './connection-limits.ts'
import { readMachineFacts } from './machine-facts.ts'
import { createPageRoutes } from './page-routes.ts'
import type { Publisher } from './publisher.ts'
import { createStaticSite } from './static-site.ts'

const deskDir = join(import.meta.dirname, '../dist-desk')

type Options = {
  settings: NonNullable<Env['desk']>
  wake: () => void
  /** Undefined if another process serves the page. */
  publisher?: Publisher
  /** The built site, whose files the page preview needs. */
  site?: ReturnType<typeof createStaticSite>
}

/** Serves the desk on a separate port. Scripts on the public page cannot use it, because it has a different origin. */
export async function startDesk(context: Context, { settings, wake, publisher, site }: Options) {
  const { env, db, now } = context
  const { port, host } = settings
  const overTls = settings.url.startsWith('https:')
  const files = createStaticSite(deskDir, { overTls })
  const sendPage = await loadDeskPage(files.serve, overTls)
  const server = createLimitedServer((request, bindings) => desk.fetch(request, bindings), {
    behindProxy: Boolean(env.trustedProxies),
  })
  server.listen({ port, host })
  await once(server, 'listening')
  // With port 0, the operating system assigns a port.
  const url =
    port === 0 ? `http://localhost:${(server.address() as AddressInfo).port}` : settings.url
  const deskContext = { ...context, env: { ...env, desk: { ...settings, url } } }
  const desk = createDeskService(deskContext, {
    url,
    sendPage,
    readClientAddress: (c) =>
      readClientAddress(
        getConnInfo(c).remote.address,
        c.req.header('x-forwarded-for'),
        env.trustedProxies ?? 0,
      ),
    readMachine: () => readMachineFacts(env, process.env, publisher?.content() ?? content),
    findPageFault: () => publisher?.findFault(),
    addPageRoutes: publisher && createPageRoutes(publisher),
    wake,
  })
  // The page preview needs the site's files, too. The desk's files come first; hashed names never clash.
  desk.all('*', (c) => {
    const { path } = c.req
    return site?.hasFile(path) && !files.hasFile(path) ? site.serve(c) : files.serve(c)
  })
  return {
    url,
    /** Creates a sign-in link that works once. */
    makeLink: () => makeLink(db, { url, now: now() }),
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * Loads the built page. Adds today's leads for signed-in users, so that slow phones do not have to wait for the script.
 */
async function loadDeskPage(staticPage: (c: HonoContext) => Response, overTls: boolean) {
  const built = join(deskDir, 'render.mjs')
  if (!existsSync(built)) throw new UserError('The desk has not been built. Run: npm run build')
  const { renderStart }: typeof import('../desk/render.tsx') = await import(
    pathToFileURL(built).href
  )
  const read = (name: string) => readFileSync(join(deskDir, name), 'utf8')
  const { all } = parseSiteHeaders(read('_headers'))
  if (!overTls) delete all['Strict-Transport-Security']
  const [head = '', tail = ''] = read('index.html').split(/(?<=<div id="desk">).*?(?=<\/div>)/s)
  return (c: HonoContext, today: Today | undefined): Response => {
    if (!today) return staticPage(c)
    const { screen, data } = renderStart(today)
    const start = `<script type="application/json" id="start">${data}</script>`
    // no-store keeps visitors' names off the phone's disk.
    return c.html(head + screen + tail.replace('</div>', () => `</div>${start}`), 200, {
      ...all,
      'Cache-Control': 'no-store',
    })
  }
}
