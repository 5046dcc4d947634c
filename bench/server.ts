import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../server/log.ts'
import { startSite } from '../server/site-server.ts'
import { readEnv } from '../supabase/functions/submit-to-airtable/env.ts'

// The product as server.ts runs it, on a port of the system's choice, with the site of SITE_DIR.
const siteDir = process.env.SITE_DIR ?? join(import.meta.dirname, '../dist')
const env = readEnv({ ...process.env, PORT: '0', HOST: '127.0.0.1' })
// Written as in production, but to nowhere.
const log = createLog(createWriteStream('/dev/null'))
const site = await startSite({ env, siteDir, fetch, now: Date.now, log })

process.on('message', () => process.send?.(process.memoryUsage().rss))
process.once('SIGTERM', async () => {
  await site.stop()
  process.exit(0)
})
process.send?.(site.port)
