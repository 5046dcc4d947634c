import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import brand from '../leads/brand.json' with { type: 'json' }
import { applyBrand } from '../site/build/brand-plugin.ts'
import { compressFiles } from '../site/build/compress.ts'
import { company } from '../site/content.ts'
import { formatHeaders, hashAll } from '../site/render/site-headers.ts'

const formatPolicy = (html: string) => {
  const scripts = hashAll(html, /<script>(.*?)<\/script>/gs)
  const styles = hashAll(html, /<style>(.*?)<\/style>/gs)
  return `default-src 'none'; script-src 'self' ${scripts}; style-src ${styles}; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

const { logo, night, palette } = brand
const title = `${company.name} desk`
// Shown until the desk gets its first response.
const shell = `<main class="sign-in"><svg class="mark" viewBox="${logo.viewBox}" width="32" height="32" aria-hidden="true">${logo.shapes}</svg></main>`

const manifest = {
  name: title,
  short_name: 'Desk',
  id: '/',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: night.paper,
  theme_color: night.paper,
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icon-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
  ],
}

/** Inlines the style sheet to save a round trip before the first paint, and moves the script to the end. */
function orderPage(dir: string): string {
  const page = join(dir, 'index.html')
  const html = readFileSync(page, 'utf8')
  const [link = '', file = ''] = html.match(/<link rel="stylesheet"[^>]*href="\/([^"]+)">/) ?? []
  const style = readFileSync(join(dir, file), 'utf8').trim()
  rmSync(join(dir, file))
  const [script = ''] = html.match(/<script async.*?<\/script>/) ?? []
  const inlined = html
    .replace(link, () => `<style>${style}</style>`)
    .replace(script, '')
    .replace('</body>', () => `${script.replace('async', 'async fetchpriority="low"')}</body>`)
  writeFileSync(page, inlined)
  return inlined
}

const at = (name: string) => join(import.meta.dirname, name)

export default defineConfig({
  root: import.meta.dirname,
  css: { transformer: 'lightningcss' },
  build: {
    outDir: '../dist-desk',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  // Build both environments with one command.
  builder: {},
  environments: {
    client: {
      build: {
        emptyOutDir: true,
        rolldownOptions: {
          input: ['index.html', 'sw.ts'].map(at),
          // Browsers identify a service worker by its URL, so its file name has no hash.
          output: {
            entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
          },
        },
      },
    },
    // The server imports this module instead of serving it.
    ssr: {
      define: { 'process.env.NODE_ENV': '"production"' },
      resolve: { noExternal: true },
      build: {
        emptyOutDir: false,
        copyPublicDir: false,
        rolldownOptions: { input: at('render.tsx'), output: { entryFileNames: '[name].mjs' } },
      },
    },
  },
  plugins: [
    applyBrand({ withNight: true }),
    react(),
    {
      // Replace Vite's helper, which preloads the dependencies of dynamic imports. Here, they have none to preload.
      name: 'short-preload-helper',
      enforce: 'pre',
      load: (id) =>
        id.endsWith('vite/preload-helper.js')
          ? 'export const __vitePreload = (load) => load()'
          : undefined,
    },
    {
      name: 'finish-desk',
      transformIndexHtml: (html) =>
        html
          .replace('%TITLE%', title)
          .replace('%SHELL%', shell)
          .replaceAll('%PAPER%', palette.paper)
          .replaceAll('%NIGHT%', night.paper),
      async writeBundle({ dir = '' }) {
        if (this.environment.name !== 'client') return
        const html = orderPage(dir)
        writeFileSync(join(dir, '_headers'), formatHeaders(formatPolicy(html), 'no-referrer'))
        writeFileSync(join(dir, 'manifest.webmanifest'), JSON.stringify(manifest))
        const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
        const texts = names.filter((name) => /\.(html|js|css|svg|webmanifest)$/.test(name))
        await compressFiles(texts.map((name) => join(dir, name)))
      },
    },
  ],
})
