import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findFreePort } from './processes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases; undefined where there is none to be had. */
    postgresUrl: string | undefined
  }
}

/**
 * Vitest's global set-up: TEST_DATABASE_URL, or an installed server on a private port, or Debian's
 * package installed now. Without any of them the Postgres tests are skipped, but never under CI.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_DATABASE_URL
  if (given) {
    project.provide('postgresUrl', given)
    return undefined
  }
  try {
    const server = await startPostgres()
    project.provide('postgresUrl', server.url)
    return server.remove
  } catch (error) {
    if (process.env.CI) throw error
    project.provide('postgresUrl', undefined)
    process.stderr.write(`Tests on PostgreSQL are skipped: ${(error as Error).message}\n`)
    return undefined
  }
}

export type TestPostgres = {
  url: string
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Tests may lose what they wrote; whoever measures wants every commit on the disk. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const bin = findBinaries() ?? installBinaries()
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
    const options = [
      '-p',
      String(port),
      '-k',
      dir,
      '-h',
      '127.0.0.1',
      ...(durable ? [] : ['-F']),
      '-c',
      'max_connections=200',
    ]
    server = spawn(join(bin, 'postgres'), ['-D', data, ...options], {
      ...user,
      cwd: dir,
      stdio: 'ignore',
    })
    await waitUntilReady(url, server)
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

export function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const installed = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : []
  return [...installed, ...(process.env.PATH ?? '').split(delimiter)].find(
    (dir) => existsSync(join(dir, 'initdb')) && existsSync(join(dir, 'postgres')),
  )
}

function installBinaries(): string {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0)
    throw new Error('no server is installed. Install PostgreSQL or set TEST_DATABASE_URL.')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'inherit' })
  execFileSync('apt-get', ['install', '-y', '-qq', 'postgresql'], { env, stdio: 'inherit' })
  const bin = findBinaries()
  if (!bin) throw new Error('Debian’s postgresql package brought no server.')
  return bin
}

// Postgres refuses to run as root; any other user will do.
function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000
  while (true) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (server.exitCode !== null) throw new Error('PostgreSQL ended at its start')
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
