import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, type ResolvedConfig, type Rolldown, runnerImport } from 'vite'
import { compressFiles } from './compress.ts'
import { formatSiteHeaders } from './site-headers.ts'

/** What the first contact loads. The page names it, so that its own script shares no code with it. */
export const formCode = 'estimate-form/main.tsx'

type RenderModule = typeof import('./render.tsx')

/**
 * Turns index.html and 404.html into finished pages: the markup is rendered by React at build time,
 * the CSS and the first script are inlined, so that one response is all it takes to show the page.
 * Vite then finds the pictures in that markup and gives them hashed names.
 */
export function prerender({ publicUrl }: { publicUrl: string | undefined }): Plugin[] {
  let config: ResolvedConfig
  return [
    {
      name: 'render-pages',
      configResolved(resolved) {
        config = resolved
      },
      transformIndexHtml: {
        order: 'pre',
        async handler(html, { filename, server }) {
          const { renderPage } = server
            ? ((await server.ssrLoadModule('/build/render.tsx')) as RenderModule)
            : await importForBuild(config)
          const page = filename.endsWith('404.html') ? 'not-found' : 'landing'
          const { head, body } = renderPage(page, publicUrl)
          return html.replace('<!-- head -->', () => head).replace('<!-- body -->', () => body)
        },
      },
      // All but the form runs only here, never in the browser, which cannot swap it by itself.
      hotUpdate({ file, server }) {
        if (!/\/site\/(?!estimate-form\/).*\.tsx?$/.test(file)) return
        server.environments.client.hot.send({ type: 'full-reload' })
        return []
      },
      configureServer: (server) => () => {
        server.middlewares.use(async (request, response, next) => {
          // What Vite makes of /.
          if (request.url?.startsWith('/index.html')) return next()
          const html = readFileSync(join(config.root, '404.html'), 'utf8')
          const page = await server.transformIndexHtml('/404.html', html)
          response.writeHead(404, { 'Content-Type': 'text/html' })
          response.end(request.method === 'HEAD' ? undefined : page)
        })
      },
    },
    {
      name: 'inline-first-flight',
      enforce: 'post',
      apply: 'build',
      generateBundle: {
        order: 'post',
        handler(_options, bundle) {
          const form = findChunk(bundle, formCode)
          // Chrome compiles it whole where it is fetched, off the main thread, and not at the contact
          // that needs it: a live form a third sooner on a slowed CPU (`npm run bench -- page`).
          form.code = `//# allFunctionsCalledOnLoad\n${form.code}`
          const icon = readFileSync(join(config.publicDir, 'favicon.svg'), 'utf8')
          const pages = Object.values(bundle).filter(
            (file) => file.type === 'asset' && file.fileName.endsWith('.html'),
          ) as Rolldown.OutputAsset[]
          const inlined = new Set<string>()
          for (const page of pages) {
            page.source = inlineCode(String(page.source), bundle, inlined)
              // A request less beside the picture. Who shows icons elsewhere takes favicon.ico.
              .replace('/favicon.svg', () => `data:image/svg+xml,${encodeURIComponent(icon)}`)
              .replace(`"/${formCode}"`, () => `"/${form.fileName}"`)
          }
          for (const fileName of inlined) delete bundle[fileName]
          const files = {
            ...formatCrawlerFiles(publicUrl),
            _headers: formatSiteHeaders({
              pages: pages.map(({ source }) => String(source)),
              // Sonner's element is empty for a moment before it holds its text.
              scriptStyles: ['', readToastStyle()],
              supabaseUrl: config.env.VITE_SUPABASE_URL,
              withMaps: Boolean(config.env.VITE_GOOGLE_MAPS_API_KEY),
            }),
          }
          for (const [fileName, source] of Object.entries(files))
            this.emitFile({ type: 'asset', fileName, source })
        },
      },
      async writeBundle(_options, bundle) {
        const names = Object.keys(bundle).filter((name) =>
          /\.(html|js|css|svg|txt|xml)$/.test(name),
        )
        const folder = resolve(config.root, config.build.outDir)
        await compressFiles(names.map((name) => join(folder, name)))
      },
    },
  ]
}

/** With what .env says about the build; Vite's runner does not read it by itself. */
async function importForBuild({ root, env }: ResolvedConfig) {
  const define = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)]),
  )
  return (await runnerImport<RenderModule>('/build/render.tsx', { root, define })).module
}

/** Puts a page's style sheet and script into it, and notes the files it took them from. */
function inlineCode(html: string, bundle: Rolldown.OutputBundle, inlined: Set<string>) {
  const takeCode = (url: string) => {
    const file = bundle[url.slice(1)]
    if (!file) throw new Error(`${url} is in a page but not in the build`)
    inlined.add(file.fileName)
    return (file.type === 'chunk' ? file.code : String(file.source)).trim()
  }
  let script = ''
  return (
    html
      .replace(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g, (_tag, url) => {
        return `<style>${takeCode(url)}</style>`
      })
      .replace(/<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>/g, (_tag, url) => {
        script = takeCode(url)
        // An inlined script has no file of its own that another could import from.
        if (/\b(import|export)\s*["'`{*]/.test(script))
          throw new Error(`${url} shares code with another chunk and cannot be inlined`)
        return ''
      })
      // At the end and async: a task of its own, not one with the end of parsing, in which the
      // browser looks for forms to fill in and lays the page out for it.
      .replace('</body>', () => `<script type="module" async>${script}</script></body>`)
  )
}

/** What search engines ask for. A sitemap holds whole addresses, so it needs the public one. */
export function formatCrawlerFiles(publicUrl: string | undefined): Record<string, string> {
  const everything = 'User-agent: *\nAllow: /\n'
  if (publicUrl === undefined) return { 'robots.txt': everything }
  const page = new URL(`${publicUrl}/`).href.replaceAll('&', '&amp;').replaceAll("'", '&apos;')
  return {
    'robots.txt': `${everything}Sitemap: ${publicUrl}/sitemap.xml\n`,
    'sitemap.xml': `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${page}</loc></url></urlset>
`,
  }
}

function findChunk(bundle: Rolldown.OutputBundle, source: string) {
  const files = Object.values(bundle)
  const chunk = files.find((file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(source))
  if (chunk?.type !== 'chunk') throw new Error(`${source} is not in the build`)
  return chunk
}

/** Sonner puts its style sheet into the page by script. The text is in its code, as a string. */
function readToastStyle(): string {
  const code = readFileSync(fileURLToPath(import.meta.resolve('sonner')), 'utf8')
  const [, style] = code.match(/__insertCSS\(("(?:[^"\\]|\\.)*")\)/) ?? []
  if (!style) throw new Error('Sonner’s style sheet is not where it was: see readToastStyle.')
  return JSON.parse(style)
}
