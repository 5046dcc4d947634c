import type { Plugin } from 'vite'
import type { Build } from '../render/build.ts'
import { readContent } from './check-content.ts'
import { listFiles } from './files.ts'

type Renderer = typeof import('../render/render.tsx')

/** Renders both pages for `npm run dev` from the source files instead of a build. */
export function servePages(
  settings: Pick<Build, 'publicUrl' | 'supabaseUrl' | 'withMaps'>,
): Plugin {
  const build: Build = {
    ...settings,
    files: Object.fromEntries(listFiles().map((file) => [file, `/${file}`])),
    formCode: '/estimate-form/main.tsx',
    reviewMotion: '/sections/review-motion.ts',
    script: { url: '/inline-script/page.ts' },
    styles: {
      landing: { url: '/landing-page.css' },
      belowFold: { url: '/below-fold.css' },
      notFound: { url: '/not-found-page.css' },
    },
    missingPage: { url: '/report-missing-page.ts' },
  }
  return {
    name: 'serve-pages',
    apply: 'serve',
    // By default, Vite looks for dependencies in HTML files, and this site has none.
    config: () => ({ optimizeDeps: { entries: ['estimate-form/main.tsx', 'inline-script/*.ts'] } }),
    // In the browser, React runs only the form, so reload the page after any other change.
    hotUpdate({ file, server }) {
      if (!/\/site\/(?!estimate-form\/).*\.tsx?$/.test(file)) return
      server.environments.client.hot.send({ type: 'full-reload' })
      return []
    },
    // Vite calls the returned function after it has added its own middleware, which serves files.
    configureServer: (server) => () => {
      server.middlewares.use(async (request, response, next) => {
        const url = request.url ?? '/'
        const isLanding = new URL(url, 'http://localhost').pathname === '/'
        try {
          const { render } = (await server.ssrLoadModule('/render/render.tsx')) as Renderer
          const { index, notFound } = render(await readContent(), build)
          const html = await server.transformIndexHtml(url, isLanding ? index : notFound)
          response.writeHead(isLanding ? 200 : 404, { 'Content-Type': 'text/html' })
          response.end(request.method === 'HEAD' ? undefined : html)
        } catch (error) {
          next(error)
        }
      })
    },
  }
}
