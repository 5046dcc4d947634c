import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { startMailStandIn } from '#demo/mail-stand-in.ts'
import { startTwilioStandIn } from '#demo/twilio-stand-in.ts'
import { retryDeliveries } from '#leads/store/deliveries.ts'
import { countWaiting } from '#leads/store/reading.ts'
import { openDatabase } from '#server/database.ts'
import { startServer, waitUntil } from '#testing/processes.ts'
import { createRandom, pickOne } from './random.ts'
import { startVisitors } from './visitors.ts'

export type CrashResult = {
  kills: number
  sent: number
  acknowledged: number
  /** Requests that broke off or were answered 503, and were sent again. */
  requestsRepeated: number
  airtableCalls: number
  airtableFaults: number
  /** Acknowledged, and yet without its row or one of its alerts. */
  lost: string[]
  /** Two leads, two rows or two different alerts of one. */
  doubled: string[]
  /** The same alert, with the same id, handed over again: the kill fell between hand-over and record. */
  alertsRepeated: number
  surprises: string[]
}

type HandOver = { channel: string; name: string; id: string; at: number }

// What a process sent before it died lies in the receiver's socket for a moment.
const readWithinMs = 1_000

/** Kills servers at random moments while visitors send leads, then looks for each lead everywhere. */
export async function runCrash({
  seed,
  kills,
  databaseUrl,
  processes,
  visitors: visitorCount,
  onKill,
}: {
  seed: number
  kills: number
  /** PostgreSQL; left out: SQLite in a folder of its own. */
  databaseUrl?: string | undefined
  processes: number
  visitors: number
  onKill?: (kills: number) => void
}): Promise<CrashResult> {
  const random = createRandom(seed)
  // The limit has tests of its own; here a kill may cost a pause, and a lock-out would take 30 s.
  const airtable = await startAirtableStandIn({ requestsPerWindow: 1000 })
  const chooseFault = createBadDay(createRandom(seed + 1))
  let airtableFaults = 0
  airtable.settings.chooseFault = () => {
    const fault = chooseFault()
    if (fault) airtableFaults += 1
    return fault
  }
  const mail = await startMailStandIn()
  const twilio = await startTwilioStandIn()
  const webhook = await startWebhook()
  const dataDir = mkdtempSync(join(tmpdir(), 'crash-'))
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    // Starting is what a kill costs.
    NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
    RATE_LIMIT_PER_MINUTE: '0',
    AIRTABLE_API_URL: airtable.url,
    AIRTABLE_TOKEN: airtable.token,
    AIRTABLE_BASE_ID: airtable.baseId,
    AIRTABLE_TABLE: airtable.tableName,
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'alerts@example.com',
    ALERT_EMAIL_TO: 'staff@example.com',
    ALERT_WEBHOOK_URL: webhook.url,
    ...twilio.env,
    ALERT_SMS_TO: '+15550002222',
    // A long run sees reminders too. They go to others, and are not counted.
    ESCALATION_EMAIL_TO: 'owner@example.com',
    ESCALATION_SMS_TO: '+15550003333',
  }
  const db = await openDatabase({ dataDir, databaseUrl })

  const killedAt: number[] = []
  const servers: { process: ReturnType<typeof startServer>; url: string | undefined }[] = []
  const start = async (at: number) => {
    const server = { process: startServer(env), url: undefined as string | undefined }
    servers[at] = server
    server.url = await server.process.findUrl()
  }
  const kill = async (at: number) => {
    const server = servers[at]
    await server?.process.kill('SIGKILL')
    killedAt.push(Date.now())
    onKill?.(killedAt.length)
    if (server) server.url = undefined
  }
  const everywhere = Array.from({ length: processes }, (_, at) => at)

  try {
    // What a process has compiled it leaves behind only if it ends by itself.
    await start(0)
    await servers[0]?.process.kill('SIGTERM')
    await Promise.all(everywhere.map(start))
    const visitors = startVisitors({
      count: visitorCount,
      listUrls: () => servers.flatMap(({ url }) => url ?? []),
      random,
      // The mail stand-in greets after 100 ms: more leads than it takes would only pile up.
      pauseMs: 1_500,
    })
    while (killedAt.length < kills) {
      // By leads and not by time: a busy machine would kill servers that have taken none.
      const enough = visitors.acknowledged + random() * 6
      await waitUntil(() => visitors.acknowledged >= enough, 120_000)
      await pause(random() * 100)
      const all = random() < 0.3
      const victims = all ? everywhere : [pickOne(everywhere, random)]
      await Promise.all(victims.map(kill))
      // Nobody is left to use them, so ending them is only a way to save time.
      if (victims.length === processes) await endLeases()
      await Promise.all(victims.map(start))
    }
    await visitors.stop()
    await Promise.all(everywhere.map(kill))
    await endLeases()
    await Promise.all(everywhere.map(start))
    await waitUntil(async () => {
      await retryDeliveries(db, 'all', Date.now())
      await Promise.all(servers.map(({ url }) => wake(url)))
      await pause(200)
      return (await countWaiting(db)).length === 0
    }, 1_800_000)

    const stored = await db.kysely.selectFrom('leads').select(['id', 'name', 'email']).execute()
    const handOvers: HandOver[] = [
      ...webhook.calls.map((call) => ({ channel: 'webhook', ...call })),
      ...mail.mails
        .filter(({ to }) => to.includes('staff@example.com'))
        .map(({ at, subject, text, headers }) => ({
          channel: 'email',
          at,
          name: findName(subject + text),
          id: headers.get('message-id') ?? '',
        })),
      // A text message has no id of its own: what it says must do.
      ...twilio.messages
        .filter(({ to }) => to === '+15550002222')
        .map(({ at, body }) => {
          const name = findName(body)
          return { channel: 'sms', at, name, id: `sms ${name}` }
        }),
    ]
    const lost: string[] = []
    const doubled: string[] = []
    let alertsRepeated = 0
    const count = (name: string, what: string, found: number, acknowledged: boolean) => {
      if (found === 0 && acknowledged) lost.push(`${name}: no ${what}`)
      if (found > 1) doubled.push(`${name}: ${found} × ${what}`)
    }
    const storedByName = Map.groupBy(stored, ({ name }) => name)
    const rowsByName = Map.groupBy(airtable.records, ({ fields }) => String(fields.Name))
    const alertsByName = Map.groupBy(handOvers, ({ name }) => name)
    for (const { name, acknowledged } of visitors.leads) {
      const kept = storedByName.get(name) ?? []
      count(name, 'lead', kept.length, acknowledged)
      const isStored = kept.length > 0
      count(name, 'row', rowsByName.get(name)?.length ?? 0, isStored)
      const alerts = Map.groupBy(alertsByName.get(name) ?? [], ({ channel }) => channel)
      for (const channel of ['email', 'sms', 'webhook']) {
        const heard = alerts.get(channel) ?? []
        count(name, channel, new Set(heard.map(({ id }) => id)).size, isStored)
        for (const [before, { at }] of heard.slice(1).entries()) {
          alertsRepeated += 1
          const earlierAt = heard[before]?.at ?? 0
          const isExplained = killedAt.some((kill) => earlierAt < kill + readWithinMs && kill < at)
          if (!isExplained) doubled.push(`${name}: ${channel} again, and nobody was killed between`)
        }
      }
    }
    const known = new Set(visitors.leads.map(({ name }) => name))
    const surprises = [...visitors.surprises]
    for (const { name, email } of stored)
      if (!known.has(name) || email !== `${name.replace(' ', '.').toLowerCase()}@example.com`)
        surprises.push(`a lead nobody sent: ${name}`)
    // A process that dies has at most one alert of each of the three channels in its hands.
    if (alertsRepeated > killedAt.length * 3)
      surprises.push(`${alertsRepeated} alerts repeated for ${killedAt.length} kills`)
    return {
      kills: killedAt.length,
      sent: visitors.leads.length,
      acknowledged: visitors.acknowledged,
      requestsRepeated: visitors.repeats,
      airtableCalls: airtable.requests.length,
      airtableFaults,
      lost,
      doubled,
      alertsRepeated,
      surprises,
    }
  } finally {
    for (const { process } of servers) await process.kill('SIGKILL')
    await db.close()
    await Promise.all([airtable.close(), mail.close(), twilio.close(), webhook.close()])
    rmSync(dataDir, { recursive: true, force: true })
  }

  async function endLeases(): Promise<void> {
    await db.kysely.updateTable('deliveries').set({ leased_until: 0 }).execute()
    await db.kysely.updateTable('channels').set({ leased_until: 0 }).execute()
  }
}

const wake = (url: string | undefined) =>
  fetch(`${url}/functions/v1/submit-to-airtable/deliver`, {
    method: 'POST',
    headers: { apikey: 'public-anon-key' },
  })

/** One call in ten fails, and of one in twenty the answer is lost. */
function createBadDay(random: () => number): () => Fault | undefined {
  const failures: Fault[] = [
    { kind: 'error', status: 503, type: 'SERVICE_UNAVAILABLE' },
    { kind: 'html', status: 502 },
    { kind: 'refuse' },
  ]
  const losses: Fault[] = [{ kind: 'lose-answer' }, { kind: 'cut-answer' }]
  return () => {
    const roll = random()
    if (roll >= 0.15) return undefined
    return pickOne(roll < 0.1 ? failures : losses, random)
  }
}

const findName = (text: string) => text.match(/Visitor \d+/)?.[0] ?? ''

async function startWebhook() {
  const calls: { at: number; name: string; id: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    try {
      for await (const chunk of request.setEncoding('utf8')) body += chunk
    } catch {
      return
    }
    const { occasion, lead } = JSON.parse(body).data
    if (occasion === 'received')
      calls.push({ at: Date.now(), name: lead.name, id: String(request.headers['webhook-id']) })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
