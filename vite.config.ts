import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, loadEnv } from 'vite'
import { brand } from './site/brand/brand.ts'
import { applyBrand, warnOfOldBrand } from './site/build/brand-plugin.ts'
import { formCode, prerender } from './site/build/prerender.ts'

const root = join(import.meta.dirname, 'site')

export default defineConfig(({ mode }) => {
  const names = ['VITE_', 'SUPABASE_ANON_KEY', 'PORT', 'PUBLIC_URL']
  const env = loadEnv(mode, process.cwd(), names)
  // The function accepts SUPABASE_ANON_KEY, so the page sends it by default.
  const publicKey = env.VITE_SUPABASE_ANON_KEY || env.SUPABASE_ANON_KEY || 'public-anon-key'
  return {
    root,
    envDir: '..',
    define: { 'import.meta.env.VITE_SUPABASE_ANON_KEY': JSON.stringify(publicKey) },
    plugins: [
      applyBrand(brand),
      warnOfOldBrand(brand),
      react(),
      prerender({ publicUrl: readPublicUrl(env) }),
    ],
    css: { transformer: 'lightningcss' },
    appType: 'mpa',
    // `npm start` answers the form's requests.
    server: { proxy: { '/functions': `http://localhost:${env.PORT || '3000'}` } },
    build: {
      outDir: '../dist',
      emptyOutDir: true,
      // Inlining twenty avatars would double the size of the first response.
      assetsInlineLimit: 0,
      // Every supported browser preloads modules without a polyfill.
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // Hide hints about slow plugins, because the owner cannot act on them.
        checks: { pluginTimings: false },
        input: ['index.html', '404.html', formCode].map((name) => join(root, name)),
      },
    },
  }
})

/** The address of the page for search engines and shared links. */
function readPublicUrl({ PUBLIC_URL = '' }: Record<string, string>) {
  const given = PUBLIC_URL.trim()
  if (!given) return undefined
  if (!/^https?:\/\//.test(given) || !URL.canParse(given))
    throw new Error('PUBLIC_URL must be the site’s web address, such as https://www.example.com')
  const { username, password } = new URL(given)
  if (username || password)
    throw new Error('PUBLIC_URL must not contain a user name or password, because it is public')
  return given.replace(/\/+$/, '')
}
