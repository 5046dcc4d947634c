import { createLog } from '#server/log.ts'
import { buildSite } from '#site/build/build.ts'
import { serveSite, siteDir, siteWithKeyDir } from './site.ts'

// Builds both sites for the browser tests and serves one of them, without the owner's .env, environment variables,
// or database.
const blank = { VITE_SUPABASE_URL: '', VITE_SUPABASE_ANON_KEY: '', VITE_GOOGLE_MAPS_API_KEY: '' }
Object.assign(process.env, blank, { SUPABASE_ANON_KEY: '', PUBLIC_URL: '' })
const keys = { [siteDir]: '', [siteWithKeyDir]: 'a-key' }
for (const [outDir, key] of Object.entries(keys)) {
  process.env.VITE_GOOGLE_MAPS_API_KEY = key
  await buildSite(outDir)
}
// Log only problems, because Playwright prints the log between the test results.
const log = { ...createLog(process.stderr), info: () => {} }
await serveSite({ PORT: process.env.PORT }, { log })
