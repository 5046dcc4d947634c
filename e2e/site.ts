import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '#leads/log.ts'
import { readEnv } from '#leads/settings.ts'
import { startSite } from '#server/site-server.ts'
import { createTestLog } from '#testing/log.ts'

/** The tests' own builds of the site: the owner's dist/ and settings stay out of them. */
export const siteDir = join(import.meta.dirname, '../test-results/site')
/** The one that knows a key for Google's address suggestions, which is a matter of the build. */
export const siteWithKeyDir = `${siteDir}-with-key`

/** The log of all sites in this process; test.ts prints it when a test fails. */
export const siteLog = createTestLog()

/** The site in this process, with a database of its own unless it is given one. */
export async function serveSite(
  settings: Record<string, string | undefined>,
  folder = siteDir,
  fetch = globalThis.fetch,
  log: Log = siteLog,
) {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'e2e-'))
  const env = readEnv({ PORT: '0', DATA_DIR, RATE_LIMIT_PER_MINUTE: '0', ...settings })
  return startSite({ env, siteDir: folder, fetch, now: Date.now, log })
}
