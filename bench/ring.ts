import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pushHost, startPushStandIn } from '#demo/push-stand-in.ts'
import { readEnv } from '#leads/settings.ts'
import { saveDevice } from '#leads/store/push-devices.ts'
import { openDatabase } from '#server/database.ts'
import { startSite } from '#server/site-server.ts'
import { quietLog } from '#testing/log.ts'
import { findQuantile, formatMs, median, type Table } from './report.ts'
import { functionPath, makeLead } from './visitors.ts'

const leads = 200
const phones = ['one', 'two', 'three']
// The worst night: a hail storm over the whole town.
const leadsPerSecond = 4

/** From the visitor's 'received' to the push service's yes, for every lead on every phone. */
export async function benchRing(): Promise<Table[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-ring-'))
  const push = await startPushStandIn()
  const db = await openDatabase({ dataDir })
  for (const name of phones) {
    const { endpoint, keys } = push.addPhone(name)
    await saveDevice(db, {
      ...{ id: crypto.randomUUID(), sessionId: name, endpoint, ...keys, person: name, name },
      ...{ ringsFrom: 0, quietUntil: 0, emergenciesRing: true, createdAt: 0, goneAt: null },
    })
  }
  await db.close()
  const env = readEnv({
    ...{ DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '0' },
    PUSH_SERVICES: pushHost,
  })
  const options = { env, siteDir: 'dist', fetch: push.fetch, now: Date.now, log: quietLog }
  const site = await startSite(options)
  const receivedAt = new Map<string, number>()
  try {
    for (let at = 0; at < leads; at++) {
      const { status } = await fetch(`http://127.0.0.1:${site.port}${functionPath}`, {
        method: 'POST',
        headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
        body: JSON.stringify(makeLead(`Visitor ${at}`)),
      })
      if (status !== 200) throw new Error(`The site answers ${status}.`)
      receivedAt.set(`Visitor ${at}`, Date.now())
      await pause(1000 / leadsPerSecond)
    }
    const endAt = Date.now() + 60_000
    while (push.messages.length < leads * phones.length && Date.now() < endAt) await pause(20)
  } finally {
    await site.stop()
    await push.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const lags = push.messages.map(({ at, data }) => {
    const [name = ''] = data.notification.title.split(':')
    return Math.max(0, at - (receivedAt.get(name) ?? Number.NaN))
  })
  if (lags.length !== leads * phones.length) throw new Error(`Only ${lags.length} rings came.`)
  return [
    {
      title: `Phones that ring: ${leads} leads, ${leadsPerSecond} a second, ${phones.length} phones, from 'received' to handed over`,
      head: ['rings', 'median', 'p95', 'slowest'],
      rows: [
        [
          String(lags.length),
          ...[median(lags), findQuantile(lags, 0.95), findQuantile(lags, 1)].map(formatMs),
        ],
      ],
    },
  ]
}
