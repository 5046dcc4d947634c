import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context } from 'hono'
import type { Today } from '#leads/desk/today.ts'
import { UserError } from '#leads/user-error.ts'
import { parseSiteHeaders } from './static-site.ts'

type RenderModule = typeof import('../desk/render.tsx')

/** Loads the built page. For signed-in users it includes today's leads, so a slow phone shows them before its script loads. */
export async function loadDeskPage(
  folder: string,
  { overTls, staticPage }: { overTls: boolean; staticPage: (c: Context) => Response },
) {
  const built = join(folder, 'render.mjs')
  if (!existsSync(built)) throw new UserError('The desk has not been built. Run: npm run build')
  const { renderStart }: RenderModule = await import(pathToFileURL(built).href)
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const { all } = parseSiteHeaders(read('_headers'))
  if (!overTls) delete all['Strict-Transport-Security']
  const [head = '', tail = ''] = read('index.html').split(/(?<=<div id="desk">).*?(?=<\/div>)/s)
  return (c: Context, today: Today | undefined): Response => {
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
