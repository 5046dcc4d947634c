import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const root = join(import.meta.dirname, '..')

type StartOptions = {
  cwd?: string
  /** A file descriptor that replaces `output.stderr`. */
  stderr?: number
}

/** Runs server/main.ts as a separate process on a free port. */
export function startServer(env: Record<string, string | undefined>, options: StartOptions = {}) {
  const set = { PORT: '0', HOST: '127.0.0.1', ...env }
  return startProcess(process.execPath, ['server/main.ts'], set, options)
}

/** Starts a process that the caller must kill. */
export function startProcess(
  command: string,
  args: string[],
  env: Record<string, string | undefined>,
  { stderr, ...options }: StartOptions = {},
) {
  const set = Object.entries(env).filter(([, value]) => value !== undefined)
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // Halves the time that Node needs to start.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      ...Object.fromEntries(set),
    },
    stdio: ['ignore', 'pipe', stderr ?? 'pipe'],
    // Start a process group and signal all of it, because Deno's command is a script that starts the real process.
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
      const printed = output.stdout.match(/http:\/\/localhost:(\d+)/)?.[1]
      if (printed) resolve(printed)
    })
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
  })
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, name)
    } catch {
      // The process has exited already.
    }
  }
  const kill = async (name: NodeJS.Signals) => {
    signal(name)
    return exited
  }
  return {
    pid: child.pid ?? 0,
    output,
    exited,
    signal,
    kill,
    /** Resolves to a URL with the port that the process printed. */
    async findUrl(): Promise<string> {
      const result = await Promise.race([port, exited])
      if (typeof result !== 'string') throw new Error(`The process exited: ${output.stderr}`)
      return `http://127.0.0.1:${result}`
    },
    [Symbol.asyncDispose]: async () => void (await kill('SIGKILL')),
  }
}

/** Returns true if the tool is installed. Always returns true on CI so that a test fails instead of being skipped. */
export const canTestWith = (name: string): boolean =>
  Boolean(process.env.CI) || !spawnSync(name, ['--version']).error

export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 120_000,
): Promise<void> {
  const endAt = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > endAt) throw new Error(`Timed out after ${timeoutMs / 1000} s: ${condition}`)
    await wait(20)
  }
}

/** Returns a free port: the wanted one, unless it is in use. */
export async function findFreePort(wanted = 0): Promise<number> {
  const probe = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(probe, 'listening')
    return (probe.address() as AddressInfo).port
  } catch {
    return findFreePort()
  } finally {
    await new Promise((resolve) => probe.close(resolve))
  }
}
