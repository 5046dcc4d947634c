import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { applyBrand } from './site/build/brand-plugin.ts'
import { readBuildEnv } from './site/build/build-env.ts'
import { servePages } from './site/build/dev-server.ts'
import { siteDir } from './site/build/files.ts'
import { dropInsertedStyle } from './site/build/sonner-plugin.ts'

/** For `npm run dev`, and for all steps of the build (site/build/build.ts). */
export default defineConfig(({ mode }) => {
  const { port, publicKey, ...settings } = readBuildEnv(mode)
  return {
    root: siteDir,
    envDir: '..',
    define: { 'import.meta.env.VITE_SUPABASE_ANON_KEY': JSON.stringify(publicKey) },
    plugins: [applyBrand(), react(), servePages(settings), dropInsertedStyle],
    css: { transformer: 'lightningcss' },
    appType: 'custom',
    // Send the form's requests to the server that `npm start` runs.
    server: { proxy: { '/functions': `http://localhost:${port}` } },
    build: {
      // By default, Vite would inline award.svg into the style sheet of the sections below the first screen.
      assetsInlineLimit: 0,
      // No supported browser needs a polyfill to preload modules.
      modulePreload: { polyfill: false },
      // Hide hints about slow plugins, because the owner cannot act on them.
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  }
})
