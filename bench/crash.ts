import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chooseFaultsBySeed, startFakeAirtable } from '#fakes/airtable.ts'
import { startHttpFake } from '#fakes/http.ts'
import { startFakeMail } from '#fakes/mail.ts'
import { createRandom, pickOne } from '#fakes/random.ts'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { retryDeliveries } from '#leads/store/deliveries.ts'
import { openDatabase } from '#server/database.ts'
import { testPath } from '#testing/app.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startServer, waitUntil } from '#testing/processes.ts'
import { listPendingRecipients } from '#testing/saved-leads.ts'
import { canCutPower, cutPower } from './power-loss.ts'
import { formatMs, median, type Options, type Report } from './report.ts'
import { measureTakeovers } from './takeover.ts'
import { type SentLead, startVisitors } from './visitors.ts'

/** Kills servers while visitors send leads, and then checks that every acknowledged lead has arrived. */
export async function benchCrash({ kills, seed }: Options): Promise<Report[]> {
  await using postgres = await startPostgres()
  // Wait for both runs even if one fails, because each must stop its servers.
  const runs = await Promise.allSettled([
    runCrash(seed, kills),
    runCrash(seed, kills, postgres.url),
  ])
  const results = runs.map((run) => {
    if (run.status === 'rejected') throw run.reason
    return run.value
  })
  const killed: Report = {
    title: `Servers killed while 6 visitors send leads, seed ${seed}`,
    head: ['', 'kills', 'sent', 'acknowledged', 'lost', 'duplicated', 'retries', 'repeated alerts'],
    rows: results.map(({ lost, duplicated, ...counts }, at) => [
      at === 0 ? 'SQLite, one process' : 'PostgreSQL, two processes',
      ...[counts.kills, counts.sent, counts.acknowledged, lost.length, duplicated.length],
      ...[counts.retries, counts.repeatedAlerts],
    ]),
    failures: results.flatMap(({ lost, duplicated, unexpected }) => [
      ...lost,
      ...duplicated,
      ...unexpected,
    ]),
  }
  const takeovers = await Promise.all([
    measureTakeovers(seed, Math.ceil(kills / 10)),
    measureTakeovers(seed, Math.ceil(kills / 10), postgres.url),
  ])
  const takenOver: Report = {
    title: 'From a kill in the middle of a send to the next attempt',
    head: ['', 'kills', 'median', 'longest'],
    rows: takeovers.map(({ tookMs }, at) => [
      at === 0 ? 'SQLite, restarted' : 'PostgreSQL, two processes',
      ...[tookMs.length, formatMs(median(tookMs)), formatMs(Math.max(...tookMs))],
    ]),
    failures: takeovers.flatMap(({ late }) => late.map((ms) => `an attempt after ${ms} ms`)),
  }
  if (!canCutPower()) {
    process.stderr.write(
      'Skipped the power loss test: it needs root, mkfs.ext4, and loop devices.\n',
    )
    return [killed, takenOver]
  }
  const cuts = Math.ceil(kills / 4)
  const { acknowledged, lost, damaged } = await cutPower(seed, cuts)
  return [
    killed,
    takenOver,
    {
      title: 'Power loss: the disk image without unsynced writes, SQLite',
      head: ['cuts', 'acknowledged', 'lost', 'damaged'],
      rows: [[cuts, acknowledged, lost.length, damaged.length]],
      failures: [...lost, ...damaged],
    },
  ]
}

/** Runs one server with SQLite or two with PostgreSQL, and kills them at random times. */
export async function runCrash(seed: number, kills: number, databaseUrl?: string) {
  const random = createRandom(seed)
  await using cleanup = new AsyncDisposableStack()
  const dataDir = cleanup.use(mkdtempDisposableSync(join(tmpdir(), 'crash-'))).path
  const receivers = cleanup.use(await startReceivers(seed + 1))
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    // A compile cache speeds up the restart after each kill.
    NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
    RATE_LIMIT_PER_MINUTE: '0',
    ...receivers.env,
  }
  const db = await openDatabase({ dataDir, databaseUrl })
  cleanup.defer(() => db.close())

  const allServers = databaseUrl ? [0, 1] : [0]
  const processes: ReturnType<typeof startServer>[] = []
  const urls: (string | undefined)[] = []
  const killedAt: number[] = []
  cleanup.defer(async () => {
    for (const server of processes) await server.kill('SIGKILL')
  })
  const start = async (at: number) => {
    const server = startServer(env)
    processes[at] = server
    urls[at] = await server.findUrl()
  }
  const kill = async (at: number) => {
    await processes[at]?.kill('SIGKILL')
    killedAt.push(Date.now())
    urls[at] = undefined
  }
  const expireLeases = async () => {
    await db.kysely.updateTable('recipients').set({ until: 0 }).execute()
  }

  // First stop one process normally, because Node writes its compile cache only on a normal exit.
  await start(0)
  await processes[0]?.kill('SIGTERM')
  await Promise.all(allServers.map(start))
  const visitors = startVisitors({
    count: 6,
    listUrls: () => urls.filter((url) => url !== undefined),
    random,
    // The fake mail server needs 100 ms per connection, so faster visitors would only fill the queue.
    pauseMs: 1_500,
  })
  const countAcknowledged = () => visitors.listAcknowledged().length
  while (killedAt.length < kills) {
    // Wait for a number of leads, because after a fixed time, a slow server could be killed before its first lead.
    const enough = countAcknowledged() + random() * 6
    await waitUntil(() => countAcknowledged() >= enough)
    await pause(random() * 100)
    const victims = random() < 0.3 ? allServers : [pickOne(allServers, random)]
    await Promise.all(victims.map(kill))
    // If every process was killed, end their leases now instead of waiting until they expire.
    if (victims.length === allServers.length) await expireLeases()
    await Promise.all(victims.map(start))
  }
  await visitors.stop()
  await Promise.all(allServers.map(kill))
  await expireLeases()
  await Promise.all(allServers.map(start))
  await waitUntil(async () => {
    // Retry pending deliveries without waiting for their backoff, but give each retry time to finish.
    await retryDeliveries(db, 'all', Date.now())
    await Promise.all(urls.map(wake))
    await pause(5_000)
    return (await listPendingRecipients(db)).length === 0
  }, 1_800_000)

  const stored = await db.kysely.selectFrom('leads').select(['id', 'name']).execute()
  const arrivals = stored.map((lead) => ({ place: 'database', at: 0, ...lead }))
  const received = receivers.listArrivals()
  // Use the recorded deliveries, because a text message about several leads mentions only the first ones.
  const texted = await db.kysely
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'leadId')
    .select(['leads.name', 'leads.name as id', 'settledAt as at'])
    .where('recipient', 'like', 'sms-%')
    .where('deliveries.reason', '=', 'received')
    .where('deliveries.state', 'in', ['sent', 'asking'])
    .execute()
  for (const { name, id, at } of texted)
    if (!received.some((one) => one.place === 'sms' && one.name === name))
      arrivals.push({ place: 'sms', at: at ?? 0, name, id })
  const problems = listProblems(visitors.leads, [...arrivals, ...received], killedAt)
  return {
    ...problems,
    unexpected: [...visitors.unexpected, ...problems.unexpected],
    kills: killedAt.length,
    sent: visitors.leads.length,
    acknowledged: countAcknowledged(),
    retries: visitors.countRetries(),
  }
}

const wake = (url: string | undefined) =>
  fetch(`${url}${testPath}/deliver`, { method: 'POST', headers: { apikey: 'public-anon-key' } })

const crewPhone = '+15550002222'

/** A lead that has arrived in the database, in Airtable, or in an alert. */
type Arrival = { place: string; name: string; id: string; at: number }

/** Starts fakes of Airtable, the mail server, Twilio, and a webhook. Airtable fails often. */
async function startReceivers(seed: number) {
  // Allow any request rate, because each lockout would take 30 s. Other tests cover the rate limit.
  const airtable = await startFakeAirtable({ requestsPerWindow: 1000 })
  airtable.settings.chooseFault = chooseFaultsBySeed(seed, 0.15)
  const mail = await startFakeMail()
  const twilio = await startFakeTwilio()
  const posted: Arrival[] = []
  const webhook = await startHttpFake({
    answer({ headers, text }) {
      const { reason, lead } = JSON.parse(text).data
      const id = String(headers['webhook-id'])
      if (reason === 'received')
        posted.push({ place: 'webhook', at: Date.now(), name: lead.name, id })
      return { status: 200, body: '' }
    },
  })
  return {
    env: {
      ...airtable.env,
      ...mail.env,
      ALERT_WEBHOOK_URL: webhook.url,
      ...twilio.env,
      ALERT_SMS_TO: crewPhone,
      // Send the reminders of long runs to a different email address and phone number, so that they are not counted.
      ESCALATION_EMAIL_TO: 'owner@example.com',
      ESCALATION_SMS_TO: '+15550003333',
    },
    listArrivals: (): Arrival[] => [
      ...posted,
      ...airtable.records.map(({ id, fields }) => {
        return { place: 'Airtable', at: 0, name: String(fields.Name), id }
      }),
      ...mail.mails
        .filter(({ to }) => to.includes(mail.env.ALERT_EMAIL_TO))
        .map(({ at, subject, text, headers }) => {
          const id = headers.get('message-id') ?? ''
          return { place: 'email', at, name: findName(subject + text), id }
        }),
      // A text message has no lead ID, so use the lead's name.
      ...twilio.messages
        .filter(({ to, body }) => to === crewPhone && !body.includes(' leads to call'))
        .map(({ at, body }) => ({ place: 'sms', at, name: findName(body), id: findName(body) })),
    ],
    async [Symbol.asyncDispose]() {
      await Promise.all([airtable, mail, twilio, webhook].map((one) => one.close()))
    },
  }
}

const findName = (text: string) => text.match(/Visitor \d+/)?.[0] ?? ''

// How long after a kill a receiver may still record a message that the process had sent.
const readWithinMs = 1_000

/** Checks that every acknowledged or stored lead has arrived everywhere, and that alerts repeat only after kills. */
function listProblems(sent: readonly SentLead[], arrivals: Arrival[], killedAt: readonly number[]) {
  const lost: string[] = []
  const duplicated: string[] = []
  let repeatedAlerts = 0
  const byName = Map.groupBy(arrivals, ({ name }) => name)
  for (const { name, acknowledged } of sent) {
    const byPlace = Map.groupBy(byName.get(name) ?? [], ({ place }) => place)
    for (const place of ['database', 'Airtable', 'email', 'sms', 'webhook']) {
      const found = byPlace.get(place) ?? []
      const count = new Set(found.map(({ id }) => id)).size
      if (count === 0 && (acknowledged || byPlace.has('database')))
        lost.push(`${name}: no ${place}`)
      if (count > 1) duplicated.push(`${name}: ${count} × ${place}`)
      // An alert may be sent again only if a kill prevented the server from recording its delivery.
      for (const [before, { at }] of found.slice(1).entries()) {
        repeatedAlerts += 1
        const earlierAt = found[before]?.at ?? 0
        if (!killedAt.some((kill) => earlierAt < kill + readWithinMs && kill < at))
          duplicated.push(`${name}: ${place} again without a kill in between`)
      }
    }
    byName.delete(name)
  }
  const unexpected = [...byName.keys()].map((name) => `the lead ${name} was never sent`)
  // A kill can interrupt at most one alert in each of the three channels.
  if (repeatedAlerts > killedAt.length * 3)
    unexpected.push(`${repeatedAlerts} alerts repeated after ${killedAt.length} kills`)
  return { lost, duplicated, unexpected, repeatedAlerts }
}
