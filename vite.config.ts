import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { prerender } from './prerender.ts'

export default defineConfig({
  plugins: [react(), tailwind(), prerender()],
  // The preload helper would be most of the page's script; what is loaded ahead is said in page.ts.
  build: {
    modulePreload: false,
    // Twenty avatars as data URLs would double the first response.
    assetsInlineLimit: 0,
    rolldownOptions: { input: ['index.html', '404.html'] },
  },
})
