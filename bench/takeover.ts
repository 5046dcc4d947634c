import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startHttpFake } from '#fakes/http.ts'
import { createRandom } from '#fakes/random.ts'
import { postLead } from '#testing/app.ts'
import { startServer, waitUntil } from '#testing/processes.ts'
import { makeLead } from './visitors.ts'

const longestMs = 25_000

/** Kills the process that is sending an alert, and measures the time until the next attempt. */
export async function measureTakeovers(seed: number, kills: number, databaseUrl?: string) {
  const random = createRandom(seed)
  await using cleanup = new AsyncDisposableStack()
  const dataDir = cleanup.use(mkdtempDisposableSync(join(tmpdir(), 'takeover-'))).path
  /** The process that sent each request, and when. */
  const attempts: { sender: number; at: number }[] = []
  let hangs = false
  const webhook = await startHttpFake({
    chooseFault: () => (hangs ? { kind: 'hang' as const } : undefined),
    answer({ url }) {
      attempts.push({ sender: Number(url.pathname.slice(1)), at: Date.now() })
      return { status: 200, body: '' }
    },
  })
  cleanup.defer(() => webhook.close())

  const servers: ReturnType<typeof startServer>[] = []
  const urls: string[] = []
  cleanup.defer(async () => {
    for (const server of servers) await server.kill('SIGKILL')
  })
  async function start(at: number): Promise<void> {
    const server = startServer({
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      RATE_LIMIT_PER_MINUTE: '0',
      ALERT_WEBHOOK_URL: `${webhook.url}/${at}`,
    })
    servers[at] = server
    urls[at] = await server.findUrl()
  }
  await Promise.all((databaseUrl ? [0, 1] : [0]).map(start))

  const tookMs: number[] = []
  while (tookMs.length < kills) {
    const earlier = attempts.length
    hangs = true
    await postLead(urls[0] ?? '', makeLead(`Visitor ${tookMs.length}`))
    await waitUntil(() => attempts.length > earlier)
    // Kill the process at a random time, because it renews its lease every 5 s.
    await pause(random() * 10_000)
    const { sender = 0 } = attempts.at(-1) ?? {}
    hangs = false
    await servers[sender]?.kill('SIGKILL')
    const killedAt = Date.now()
    await start(sender)
    await waitUntil(() => attempts.length > earlier + 1)
    tookMs.push((attempts[earlier + 1]?.at ?? 0) - killedAt)
  }
  return { tookMs, late: tookMs.filter((ms) => ms > longestMs) }
}
