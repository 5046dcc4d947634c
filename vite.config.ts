import react from '@vitejs/plugin-react'
import { defineConfig, loadEnv } from 'vite'
import { keepEarlierAssets } from './site/build/earlier-assets.ts'
import { formCode, prerender } from './site/build/prerender.ts'

export default defineConfig(({ mode }) => ({
  root: 'site',
  envDir: '..',
  define: definePublicKey(mode),
  plugins: [react(), prerender({ publicUrl: readPublicUrl(mode) }), keepEarlierAssets()],
  css: { transformer: 'lightningcss' },
  appType: 'mpa',
  // The form's call goes to the site that `npm start` serves beside it.
  server: { proxy: { '/functions': `http://localhost:${readPort(mode)}` } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    // Twenty avatars as data URLs would double the first response.
    assetsInlineLimit: 0,
    // Every browser that runs the page's script preloads modules by itself.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Advice about plugins is not for whoever starts the site.
      checks: { pluginTimings: false },
      input: ['index.html', '404.html', formCode].map((name) => `site/${name}`),
      // The page calls what the form's code exports, and what loads later may use React from there:
      // one file to hydrate.
      preserveEntrySignatures: 'allow-extension',
    },
  },
}))

// The function accepts SUPABASE_ANON_KEY; the page sends the same unless it is told otherwise.
function definePublicKey(mode: string) {
  const env = loadEnv(mode, process.cwd(), ['VITE_', 'SUPABASE_ANON_KEY'])
  const key = env.VITE_SUPABASE_ANON_KEY || env.SUPABASE_ANON_KEY || 'public-anon-key'
  return { 'import.meta.env.VITE_SUPABASE_ANON_KEY': JSON.stringify(key) }
}

const readPort = (mode: string) => loadEnv(mode, process.cwd(), 'PORT').PORT || '3000'

// The address by which search engines and shared links know the page.
function readPublicUrl(mode: string) {
  const { PUBLIC_URL } = loadEnv(mode, process.cwd(), 'PUBLIC_URL')
  if (!PUBLIC_URL?.trim()) return undefined
  const given = PUBLIC_URL.trim().replace(/\/+$/, '')
  if (!/^https?:\/\//.test(given) || !URL.canParse(given))
    throw new Error('PUBLIC_URL must be the site’s web address, such as https://www.example.com')
  const { username, password } = new URL(given)
  if (username || password)
    throw new Error('PUBLIC_URL must hold no user name and no password: it is public')
  return given
}
