import { onTestFailed, onTestFinished } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { startSite } from '#server/site-server.ts'
import { createTestLog, formatEntries } from './log.ts'
import { startProcess, startServer } from './processes.ts'

export { waitUntil } from './processes.ts'

/** Runs server/main.ts as a separate process until the test ends. */
export const spawnServer = (...args: Parameters<typeof startServer>) =>
  killAfterTest(startServer(...args))

export const spawnProcess = (...args: Parameters<typeof startProcess>) =>
  killAfterTest(startProcess(...args))

function killAfterTest<Process extends ReturnType<typeof startProcess>>(started: Process): Process {
  onTestFailed(() => {
    const { stdout, stderr } = started.output
    process.stderr.write(`Output of the process:\n${stdout}${stderr}`)
  })
  onTestFinished(async () => {
    await started.kill('SIGKILL')
  })
  return started
}

/** Runs the built site in the test process until the test ends. */
export async function startTestSite(variables: Record<string, string | undefined>) {
  const log = createTestLog()
  const given = { HOST: '127.0.0.1', PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...variables }
  const env = readEnv(given)
  const site = await startSite({ env, siteDir: 'dist', fetch, now: Date.now, log })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= site.stop()
    return stopping
  }
  onTestFinished(stop)
  onTestFailed(() => {
    process.stderr.write(`Log of the site:\n${formatEntries(log)}`)
  })
  return { url: `http://127.0.0.1:${site.port}`, desk: site.desk, log, stop }
}
