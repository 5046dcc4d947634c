import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '#leads/log.ts'
import { readEnv } from '#leads/settings.ts'
import { startSite } from '#server/site-server.ts'
import { createTestLog } from '#testing/log.ts'

/** A build for the tests, which is independent of the owner's dist/ and settings. */
export const siteDir = join(import.meta.dirname, '../test-results/site')
/** The build with a key for Google's address suggestions. */
export const siteWithKeyDir = `${siteDir}-with-key`

/** The log of all sites in this process. test.ts prints it when a test fails. */
export const siteLog = createTestLog()

/** Serves the site from this process, by default with a new database. */
export async function serveSite(
  settings: Record<string, string | undefined>,
  { folder = siteDir, fetch = globalThis.fetch, log = siteLog as Log, now = Date.now } = {},
) {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'e2e-'))
  const given = { PORT: '0', DATA_DIR, RATE_LIMIT_PER_MINUTE: '0', ...settings }
  const env = readEnv(given)
  return startSite({ env, siteDir: folder, fetch, now, log })
}
