import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { readEnv } from '#leads/settings.ts'
import { startSite } from '#server/site-server.ts'
import { siteDir, siteWithKeyDir } from './site.ts'

// Builds the sites and serves one for the browser tests, with nothing of the owner's: not the .env,
// not the variables of this shell, not the database.
const blank = { VITE_SUPABASE_URL: '', VITE_SUPABASE_ANON_KEY: '', VITE_GOOGLE_MAPS_API_KEY: '' }
Object.assign(process.env, blank, { SUPABASE_ANON_KEY: '', PUBLIC_URL: '' })
const keys = { [siteDir]: '', [siteWithKeyDir]: 'a-key' }
for (const [outDir, key] of Object.entries(keys)) {
  process.env.VITE_GOOGLE_MAPS_API_KEY = key
  await build({ logLevel: 'error', build: { outDir, emptyOutDir: true } })
}

const env = readEnv({
  PORT: process.env.PORT,
  DATA_DIR: mkdtempSync(join(tmpdir(), 'e2e-')),
  // The tests share one address.
  RATE_LIMIT_PER_MINUTE: '0',
})
const log = { info: () => {}, warn: () => {}, error: () => {} }
await startSite({ env, siteDir, fetch, now: Date.now, log })
