import { onTestFinished } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { startSite } from '#server/site-server.ts'
import { createTestLog } from './log.ts'

/** The built site in the test's own process, by the owner's variables; it ends with the test at last. */
export async function startTestSite(variables: Record<string, string | undefined>) {
  const log = createTestLog()
  const env = readEnv({ HOST: '127.0.0.1', PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...variables })
  const site = await startSite({ env, siteDir: 'dist', fetch, now: Date.now, log })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= site.stop()
    return stopping
  }
  onTestFinished(stop)
  return { url: `http://127.0.0.1:${site.port}`, log, stop }
}
