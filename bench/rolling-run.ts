import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDatabase } from '#server/database.ts'
import { startCaddy, type TestCaddy } from '#testing/caddy.ts'
import { findFreePort, startServer } from '#testing/processes.ts'

export type RollingResult = {
  restarts: number
  requests: number
  leads: number
  failed: string[]
  acknowledged: number
  lost: string[]
  doubled: string[]
  longestMs: number
  /** Exit codes other than 0, and ends that took longer than promised. */
  badEnds: string[]
}

// Caddy's own connections start at 127.0.0.1 and may take any free port there, a stopped server's too.
const host = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
const script = join(import.meta.dirname, '../deploy/rolling-restart')

/** Runs deploy/rolling-restart again and again behind Caddy, while visitors read and send leads. */
export async function runRolling({
  databaseUrl,
  processes,
  rounds,
  visitors,
  pauseMs,
}: {
  /** PostgreSQL; left out: SQLite, for one process. */
  databaseUrl?: string | undefined
  processes: number
  rounds: number
  visitors: number
  /** The longest pause between two requests of one visitor. */
  pauseMs: number
}): Promise<RollingResult> {
  const dir = mkdtempSync(join(tmpdir(), 'rolling-'))
  const location = { dataDir: join(dir, 'data'), databaseUrl }
  const servers = new Map<number, ReturnType<typeof startServer>>()
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
    const load = startLoad(caddy, { visitors, pauseMs })
    await pause(500)
    for (let round = 0; round < rounds; round++)
      await promisify(execFile)(script, ports.map(String), {
        env: { PATH: `${dir}:${process.env.PATH}`, HOST: host },
      })
    const { acknowledged, ...tally } = await load.stop()
    const stored = await db.kysely.selectFrom('leads').select('name').execute()
    const byName = Map.groupBy(stored, ({ name }) => name)
    return {
      restarts: processes * rounds,
      ...tally,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((name) => !byName.has(name)),
      doubled: [...byName].flatMap(([name, rows]) => (rows.length > 1 ? [name] : [])),
      badEnds,
    }
  } finally {
    await caddy?.stop()
    for (const server of servers.values()) await server.kill('SIGKILL')
    await db.close()
    control.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** A systemctl for the script: the same words, and the processes of this run. */
async function startControl(dir: string, restart: (port: number) => Promise<void>) {
  const control = createServer(async ({ url }, response) => {
    const port = Number(url?.match(/^\/restart\/roofing-site@(\d+)$/)?.[1])
    await restart(port).then(
      () => response.end(),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  const { port } = control.address() as AddressInfo
  const systemctl = join(dir, 'systemctl')
  writeFileSync(systemctl, `#!/bin/sh\nexec curl -s --fail "http://127.0.0.1:${port}/$1/$2"\n`)
  chmodSync(systemctl, 0o755)
  return control
}

/** Nobody here tries again: what fails once has failed. */
function startLoad(
  { httpsPort, ca }: TestCaddy,
  { visitors, pauseMs }: { visitors: number; pauseMs: number },
) {
  const failed: string[] = []
  const acknowledged: string[] = []
  let requests = 0
  let leads = 0
  let longestMs = 0
  let stopping = false

  async function visit(at: number): Promise<void> {
    let agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
    for (let turn = 0; !stopping; turn++) {
      // Now and then another visitor comes, with a connection of his own.
      if (turn % 25 === 24) {
        agent.destroy()
        agent = new Agent({ keepAlive: true, maxSockets: 1, ca })
      }
      const kind = (['page', 'lead', 'lead without a key', 'plain form'] as const)[(at + turn) % 4]
      const startedAt = performance.now()
      const name = `Visitor ${at}-${turn}`
      const outcome = await send(agent, kind ?? 'page', name).catch((error) => String(error))
      requests += 1
      if (kind !== 'page') leads += 1
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      if (outcome !== 'ok') failed.push(`${kind}: ${outcome}`)
      else if (kind !== 'page') acknowledged.push(name)
      await pause(Math.random() * pauseMs)
    }
    agent.destroy()
  }

  function send(agent: Agent, kind: string, name: string): Promise<string> {
    const lead = {
      name,
      email: 'visitor@example.com',
      phone: '(555) 123-4567',
      address: `${name} Main St`,
      serviceType: '',
    }
    const isForm = kind === 'plain form'
    const body = isForm ? new URLSearchParams(lead).toString() : JSON.stringify(lead)
    const options = { agent, port: httpsPort, host: '127.0.0.1', servername: 'localhost' }
    const headers = { host: `localhost:${httpsPort}` }
    const sent =
      kind === 'page'
        ? request({ ...options, path: '/', headers })
        : request({
            ...options,
            path: '/functions/v1/submit-to-airtable',
            method: 'POST',
            headers: {
              ...headers,
              apikey: 'public-anon-key',
              origin: `https://localhost:${httpsPort}`,
              'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
              'content-length': Buffer.byteLength(body),
              ...(kind === 'lead' && { 'idempotency-key': name.replace(' ', '-') }),
            },
          })
    return new Promise((resolve, reject) => {
      sent.on('error', reject)
      sent.setTimeout(30_000, () => sent.destroy(new Error('no answer within 30 s')))
      sent.on('response', (response) => {
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode, headers } = response
          const isTaken = isForm
            ? statusCode === 303 && headers.location?.endsWith('#estimate-received')
            : statusCode === 200
          resolve(isTaken ? 'ok' : `answered ${statusCode}`)
        })
        response.resume()
      })
      sent.end(kind === 'page' ? undefined : body)
    })
  }

  const all = Array.from({ length: visitors }, (_, at) => visit(at))
  return {
    async stop() {
      stopping = true
      await Promise.all(all)
      return { requests, leads, failed, acknowledged, longestMs: Math.round(longestMs) }
    },
  }
}
