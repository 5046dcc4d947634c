import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findPostgres } from '#scripts/tools.mjs'
import { findFreePort, waitUntil } from './processes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases; undefined where there is none to be had. */
    postgresUrl: string | undefined
  }
}

/**
 * Vitest's global set-up: TEST_DATABASE_URL, or an installed server on a private port. Without either
 * the Postgres tests are skipped, but never under CI.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_DATABASE_URL
  if (given || (!findPostgres() && !process.env.CI)) {
    project.provide('postgresUrl', given)
    return undefined
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return server.remove
}

type TestPostgres = {
  url: string
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Tests may lose what they wrote; a benchmark wants every commit on the disk. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const bin = findPostgres()
  if (!bin) throw new Error('No server is installed. Install PostgreSQL or set TEST_DATABASE_URL.')
  const dir = mkdtempSync(join(tmpdir(), 'postgres-'))
  const user = findUser()
  if (user) chownSync(dir, user.uid, user.gid)
  const data = join(dir, 'data')
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']
  execFileSync(join(bin, 'initdb'), args, { ...user, cwd: dir, stdio: 'pipe' })

  const port = await findFreePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let server: ChildProcess | undefined
  const start = async () => {
    const options = ['-D', data, '-p', String(port), '-k', dir, '-h', '127.0.0.1']
    const speed = durable ? [] : ['-F']
    const args = [...options, ...speed, '-c', 'max_connections=200']
    const started = spawn(join(bin, 'postgres'), args, { ...user, cwd: dir, stdio: 'ignore' })
    server = started
    await waitUntil(() => {
      if (started.exitCode !== null) throw new Error('PostgreSQL ended at its start')
      return canConnect(url)
    })
  }
  const stop = async () => {
    if (!server || server.exitCode !== null) return
    const exited = new Promise((resolve) => server?.once('exit', resolve))
    server.kill('SIGINT') // Postgres's "fast" shutdown: connections are cut.
    await exited
  }
  const remove = async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
  await start()
  return { url, start, stop, remove }
}

// Postgres refuses to run as root; any other user will do.
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
