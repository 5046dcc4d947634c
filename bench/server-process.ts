import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export type ServerProcess = {
  url: string
  /** Of the process, now. */
  memoryBytes(): Promise<number>
  stop(): Promise<void>
}

/** Runs bench/server.ts as its own process, so that what measures does not slow what is measured. */
export async function startServer(env: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const port = await nextMessage(child)
  return {
    url: `http://localhost:${port}`,
    memoryBytes: () => {
      child.send('memory')
      return nextMessage(child)
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await exited
    },
  }
}

function nextMessage(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}`)))
  })
}
