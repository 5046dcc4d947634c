import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '..')

export type ServerProcess = ReturnType<typeof spawnServer>

/** Runs server.ts as its own process, on a port the system chooses; it ends with the test at last. */
export function spawnServer(
  env: Record<string, string | undefined>,
  { uid, gid }: { uid?: number; gid?: number } = {},
) {
  return spawnProcess(
    process.execPath,
    ['server.ts'],
    { PORT: '0', HOST: '127.0.0.1', ...env },
    {
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid }),
    },
  )
}

export function spawnProcess(
  command: string,
  args: string[],
  env: Record<string, string | undefined>,
  options: { uid?: number; gid?: number } = {},
) {
  const set = Object.entries(env).filter(([, value]) => value !== undefined)
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...Object.fromEntries(set) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Deno's command is a script that starts the real one, and both must go.
    detached: true,
    ...options,
  })
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => {
    output.stdout += data
  })
  child.stderr.on('data', (data) => {
    output.stderr += data
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
  })
  onTestFinished(async () => {
    signalGroup('SIGKILL')
    await exited
  })
  return {
    output,
    exited,
    /** Where it listens, once it has said so. */
    async findUrl(): Promise<string> {
      const said = () => output.stdout.match(/http:\/\/localhost:(\d+)/)?.[1]
      await waitUntil(() => said() !== undefined || child.exitCode !== null)
      const port = said()
      if (!port) throw new Error(`The process ended: ${output.stderr}`)
      return `http://127.0.0.1:${port}`
    },
    kill: async (signal: NodeJS.Signals) => {
      signalGroup(signal)
      return exited
    },
  }
}

/** Looks again and again until it is so: processes tell nobody when they are done. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
): Promise<void> {
  const endAt = Date.now() + timeoutMs
  while (!(await isSo())) {
    if (Date.now() > endAt) throw new Error(`Not so after ${timeoutMs / 1000} s: ${isSo}`)
    await wait(20)
  }
}
