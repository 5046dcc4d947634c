import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')

export type StartOptions = {
  uid?: number
  gid?: number
  cwd?: string
  /** An open file, in place of `output.stderr`. */
  stderr?: number
}

/** Runs server/main.ts as its own process, on a port the system chooses. */
export function startServer(env: Record<string, string | undefined>, options: StartOptions = {}) {
  const set = { PORT: '0', HOST: '127.0.0.1', ...env }
  return startProcess(process.execPath, ['server/main.ts'], set, options)
}

/** Whoever starts it must kill it. */
export function startProcess(
  command: string,
  args: string[],
  env: Record<string, string | undefined>,
  { stderr, ...options }: StartOptions = {},
) {
  const set = Object.entries(env).filter(([, value]) => value !== undefined)
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...Object.fromEntries(set) },
    stdio: ['ignore', 'pipe', stderr ?? 'pipe'],
    // A group of its own: Deno's command is a script that starts the real one, and both must go.
    detached: true,
    ...options,
  })
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (data) => {
    output.stdout += data
  })
  child.stderr?.on('data', (data) => {
    output.stderr += data
  })
  const port = new Promise<string>((resolve) => {
    child.stdout?.on('data', () => {
      const said = output.stdout.match(/http:\/\/localhost:(\d+)/)?.[1]
      if (said) resolve(said)
    })
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
  })
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, name)
    } catch {
      // It has ended by itself.
    }
  }
  return {
    pid: child.pid ?? 0,
    output,
    exited,
    signal,
    /** Where it listens, once it has said so. */
    async findUrl(): Promise<string> {
      const said = await Promise.race([port, exited])
      if (typeof said !== 'string') throw new Error(`The process ended: ${output.stderr}`)
      return `http://127.0.0.1:${said}`
    },
    kill: async (name: NodeJS.Signals) => {
      signal(name)
      return exited
    },
  }
}

/** Whether a test's tool is here. Without it the test is skipped; under CI it runs, and says what it lacks. */
export const canTestWith = (name: string): boolean =>
  Boolean(process.env.CI) || !spawnSync(name, ['--version']).error

/** Looks again and again until it is so: processes tell nobody when they are done. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = 120_000,
): Promise<void> {
  const endAt = Date.now() + timeoutMs
  while (!(await isSo())) {
    if (Date.now() > endAt) throw new Error(`Not so after ${timeoutMs / 1000} s: ${isSo}`)
    await wait(20)
  }
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
