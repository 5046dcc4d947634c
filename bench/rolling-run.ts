import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startHttpStandIn } from '#demo/http-stand-in.ts'
import { openDatabase } from '#server/database.ts'
import { startCaddy, type TestCaddy } from '#testing/caddy.ts'
import { findFreePort, startServer } from '#testing/processes.ts'
import { startCrowd } from './crowd.ts'

// Caddy's own connections start at 127.0.0.1 and may take any free port there, a stopped server's too.
const host = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
const script = join(import.meta.dirname, '../deploy/rolling-restart')

/** Runs deploy/rolling-restart again and again behind Caddy, while visitors read and send leads. */
export async function runRolling({
  databaseUrl,
  processes,
  rounds,
  ...crowd
}: {
  /** PostgreSQL; left out: SQLite, for one process. */
  databaseUrl?: string | undefined
  processes: number
  rounds: number
  visitors: number
  /** The longest pause between two requests of one visitor. */
  pauseMs: number
}) {
  const dir = mkdtempSync(join(tmpdir(), 'rolling-'))
  const location = { dataDir: join(dir, 'data'), databaseUrl }
  const servers = new Map<number, ReturnType<typeof startServer>>()
  // Exit codes other than 0, and ends that took longer than promised.
  const badEnds: string[] = []
  const start = async (port: number) => {
    const server = startServer({
      HOST: host,
      PORT: String(port),
      DATA_DIR: location.dataDir,
      DATABASE_URL: databaseUrl,
      TRUSTED_PROXIES: '1',
      RATE_LIMIT_PER_MINUTE: '0',
    })
    servers.set(port, server)
    await server.findUrl()
  }
  const restart = async (port: number) => {
    const stoppedAt = Date.now()
    const code = await servers.get(port)?.kill('SIGTERM')
    const tookMs = Date.now() - stoppedAt
    if (code !== 0) badEnds.push(`ended with ${code}`)
    if (tookMs > 10_000) badEnds.push(`ended after ${tookMs} ms`)
    await start(port)
  }
  const control = await startControl(dir, restart)
  const db = await openDatabase(location)
  let caddy: TestCaddy | undefined
  try {
    const ports: number[] = []
    for (let at = 0; at < processes; at++) ports.push(await findFreePort())
    await Promise.all(ports.map(start))
    caddy = await startCaddy(ports.map((port) => `${host}:${port}`))
    const load = startCrowd(caddy, crowd)
    await pause(500)
    for (let round = 0; round < rounds; round++)
      await promisify(execFile)(script, ports.map(String), {
        env: { PATH: `${dir}:${process.env.PATH}`, HOST: host },
      })
    const { acknowledged, tallies } = await load.stop()
    const times = [...tallies.values()].flatMap((tally) => tally.times)
    const stored = await db.kysely.selectFrom('leads').select('name').execute()
    const byName = Map.groupBy(stored, ({ name }) => name)
    return {
      restarts: processes * rounds,
      requests: times.length,
      failed: [...tallies].flatMap(([kind, { outcomes }]) =>
        [...outcomes]
          .filter(([what]) => what !== 'ok')
          .map(([what, n]) => `${n} × ${kind}: ${what}`),
      ),
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((name) => !byName.has(name)),
      doubled: [...byName].flatMap(([name, rows]) => (rows.length > 1 ? [name] : [])),
      longestMs: Math.round(Math.max(...times)),
      badEnds,
    }
  } finally {
    await caddy?.stop()
    for (const server of servers.values()) await server.kill('SIGKILL')
    await db.close()
    await control.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A systemctl for the script: the same words, and the processes of this run. */
async function startControl(dir: string, restart: (port: number) => Promise<void>) {
  const control = await startHttpStandIn({
    async answer({ url }) {
      await restart(Number(url.pathname.match(/^\/restart\/roofing-site@(\d+)$/)?.[1]))
      return { status: 200, body: '' }
    },
  })
  const systemctl = join(dir, 'systemctl')
  writeFileSync(systemctl, `#!/bin/sh\nexec curl -s --fail "${control.url}/$1/$2"\n`)
  chmodSync(systemctl, 0o755)
  return control
}
