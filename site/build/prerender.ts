import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, type ResolvedConfig, type Rolldown, runnerImport } from 'vite'
import { readContent } from './check-content.ts'
import { compressFiles } from './compress.ts'
import { explainBrokenPromises } from './hours-rules.ts'
import { formatSiteHeaders } from './site-headers.ts'

/** The inline script imports this file at the visitor's first interaction; `data-code` has its URL. */
export const formCode = 'estimate-form/main.tsx'

type RenderModule = typeof import('./render.tsx')

/**
 * Turns index.html and 404.html into finished pages: React renders the markup at build time, with the CSS
 * and the inline script included, so one response is enough to show the page. Vite then gives hashed names
 * to the pictures in that markup.
 */
export function prerender({ publicUrl }: { publicUrl: string | undefined }): Plugin[] {
  let config: ResolvedConfig
  let inlineScript = 'inline-script/page.ts'
  return [
    {
      name: 'render-pages',
      configResolved(resolved) {
        config = resolved
      },
      async buildStart() {
        const broken = explainBrokenPromises(await readContent())
        if (broken) this.warn(`site/content.ts: ${broken}`)
      },
      transformIndexHtml: {
        order: 'pre',
        async handler(html, { filename, server }) {
          const { hours } = await readContent()
          if (hours.open !== 'always') inlineScript = 'inline-script/page-with-hours.ts'
          const { renderPage } = server
            ? ((await server.ssrLoadModule('/build/render.tsx')) as RenderModule)
            : await importForBuild(config)
          const page = filename.endsWith('404.html') ? 'not-found' : 'landing'
          const { head, body } = renderPage(page, publicUrl)
          const isInlined = !server || page === 'not-found'
          const script = isInlined ? '' : `<script type="module" src="/${inlineScript}"></script>`
          return html
            .replace('<!-- head -->', () => head)
            .replace('<!-- body -->', () => body + script)
        },
      },
      // Only the form runs in the browser, so reload the page after any other change.
      hotUpdate({ file, server }) {
        if (!/\/site\/(?!estimate-form\/).*\.tsx?$/.test(file)) return
        server.environments.client.hot.send({ type: 'full-reload' })
        return []
      },
      configureServer: (server) => () => {
        server.middlewares.use(async (request, response, next) => {
          // Vite rewrites / to /index.html.
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
        async handler(_options, bundle) {
          const form = findChunk(bundle, formCode)
          // Makes Chrome compile the whole file off the main thread: on a slow CPU, the form is ready a
          // third sooner (`npm run bench -- page`).
          form.code = `//# allFunctionsCalledOnLoad\n${form.code}`
          const icon = readFileSync(join(config.publicDir, 'favicon.svg'), 'utf8')
          const pages = Object.values(bundle).filter(
            (file) => file.type === 'asset' && file.fileName.endsWith('.html'),
          ) as Rolldown.OutputAsset[]
          const script = await buildInlineScript(config, inlineScript)
          const inlined = new Set<string>()
          for (const page of pages) {
            page.source = inlineStyles(String(page.source), bundle, inlined)
              // Inline the icon to save a request. Bookmarks still use favicon.ico.
              .replace('/favicon.svg', () => `data:image/svg+xml,${encodeURIComponent(icon)}`)
              .replace(`"/${formCode}"`, () => `"/${form.fileName}"`)
            // At the end and async, so that it runs in a separate task, after the layout that autofill
            // triggers at the end of parsing.
            if (page.fileName === 'index.html')
              page.source = page.source.replace(
                '</body>',
                () => `<script type="module" async>${script}</script></body>`,
              )
          }
          for (const fileName of inlined) delete bundle[fileName]
          const files = {
            ...formatCrawlerFiles(publicUrl),
            _headers: formatSiteHeaders({
              pages: pages.map(({ source }) => String(source)),
              // Sonner inserts an empty style element first and fills it afterwards.
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

/** Passes on the build variables of .env, because Vite's runner does not read them. */
async function importForBuild({ root, env }: ResolvedConfig) {
  const define = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)]),
  )
  return (await runnerImport<RenderModule>('/build/render.tsx', { root, define })).module
}

/** Bundles the inline script separately, because it shares imports with the form. */
async function buildInlineScript({ root }: ResolvedConfig, file: string) {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: join(root, file) },
    },
  })
  const { output } = built as Rolldown.RolldownOutput
  return output[0].code.trim()
}

/** Moves each style sheet into its page and adds its file name to `inlined`. */
const inlineStyles = (html: string, bundle: Rolldown.OutputBundle, inlined: Set<string>) =>
  html.replace(/<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/g, (_tag, fileName) => {
    const file = bundle[fileName]
    if (file?.type !== 'asset') throw new Error(`${fileName} is in a page but not in the build`)
    inlined.add(fileName)
    return `<style>${String(file.source).trim()}</style>`
  })

/** Formats the files for search engines. A sitemap requires the public address. */
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

/** Extracts the style sheet that Sonner inserts by script from Sonner's code. */
function readToastStyle(): string {
  const code = readFileSync(fileURLToPath(import.meta.resolve('sonner')), 'utf8')
  const [, style] = code.match(/__insertCSS\(("(?:[^"\\]|\\.)*")\)/) ?? []
  if (!style) throw new Error('Sonner’s style sheet was not found. Update readToastStyle.')
  return JSON.parse(style)
}
