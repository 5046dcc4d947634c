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
      prerender({ publicUrl: env.PUBLIC_URL?.trim().replace(/\/+$/, '') || undefined }),
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
