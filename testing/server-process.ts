import { onTestFinished } from 'vitest'
import { type StartOptions, startProcess, startServer } from './processes.ts'

export { waitUntil } from './processes.ts'

/** server/main.ts as its own process; it ends with the test at last. */
export const spawnServer = (env: Record<string, string | undefined>, options?: StartOptions) =>
  endWithTest(startServer(env, options))

export const spawnProcess = (...args: Parameters<typeof startProcess>) =>
  endWithTest(startProcess(...args))

function endWithTest<Process extends ReturnType<typeof startProcess>>(started: Process): Process {
  onTestFinished(async () => {
    await started.kill('SIGKILL')
  })
  return started
}
