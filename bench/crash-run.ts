import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { startHttpStandIn } from '#demo/http-stand-in.ts'
import { startMailStandIn } from '#demo/mail-stand-in.ts'
import { createRandom, pickOne } from '#demo/random.ts'
import { startTwilioStandIn } from '#demo/twilio-stand-in.ts'
import { retryDeliveries } from '#leads/store/deliveries.ts'
import { countWaiting } from '#leads/store/reading.ts'
import { openDatabase } from '#server/database.ts'
import { startServer, waitUntil } from '#testing/processes.ts'
import { findHarm, type HandOver } from './crash-harm.ts'
import { functionPath, startVisitors } from './visitors.ts'

/** Kills servers at random moments while visitors send leads, then looks for each lead everywhere. */
export async function runCrash({
  seed,
  kills,
  databaseUrl,
  onKill,
}: {
  seed: number
  kills: number
  /** PostgreSQL, with two processes; left out: SQLite in a folder of its own, with one. */
  databaseUrl?: string | undefined
  onKill?: (kills: number) => void
}) {
  const random = createRandom(seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'crash-'))
  const receivers = await startReceivers(seed + 1)
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    // Starting is what a kill costs.
    NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
    RATE_LIMIT_PER_MINUTE: '0',
    ...receivers.env,
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
  const everywhere = databaseUrl ? [0, 1] : [0]
  const endLeases = async () => {
    await db.kysely.updateTable('deliveries').set({ leased_until: 0 }).execute()
    await db.kysely.updateTable('channels').set({ leased_until: 0 }).execute()
  }

  try {
    // What a process has compiled it leaves behind only if it ends by itself.
    await start(0)
    await servers[0]?.process.kill('SIGTERM')
    await Promise.all(everywhere.map(start))
    const visitors = startVisitors({
      count: 6,
      listUrls: () => servers.flatMap(({ url }) => url ?? []),
      random,
      // The mail stand-in greets after 100 ms: more leads than it takes would only pile up.
      pauseMs: 1_500,
    })
    const countAcknowledged = () => visitors.listAcknowledged().length
    while (killedAt.length < kills) {
      // By leads and not by time: a busy machine would kill servers that have taken none.
      const enough = countAcknowledged() + random() * 6
      await waitUntil(() => countAcknowledged() >= enough)
      await pause(random() * 100)
      const victims = random() < 0.3 ? everywhere : [pickOne(everywhere, random)]
      await Promise.all(victims.map(kill))
      // Nobody is left to use them, so ending them is only a way to save time.
      if (victims.length === everywhere.length) await endLeases()
      await Promise.all(victims.map(start))
    }
    await visitors.stop()
    await Promise.all(everywhere.map(kill))
    await endLeases()
    await Promise.all(everywhere.map(start))
    await waitUntil(async () => {
      // What has failed need not wait its turn; often enough to hurry it, seldom enough to let it go.
      await retryDeliveries(db, 'all', Date.now())
      await Promise.all(servers.map(({ url }) => wake(url)))
      await pause(5_000)
      return (await countWaiting(db)).length === 0
    }, 1_800_000)

    const stored = await db.kysely.selectFrom('leads').select(['name', 'email']).execute()
    const harm = findHarm({ sent: visitors.leads, stored, killedAt, ...receivers.listArrivals() })
    return {
      ...harm,
      surprises: [...visitors.surprises, ...harm.surprises],
      kills: killedAt.length,
      sent: visitors.leads.length,
      acknowledged: countAcknowledged(),
      /** Requests that broke off or were answered 503, and were sent again. */
      requestsRepeated: visitors.countRepeats(),
      ...receivers.countCalls(),
    }
  } finally {
    for (const { process } of servers) await process.kill('SIGKILL')
    await db.close()
    await receivers.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const wake = (url: string | undefined) =>
  fetch(`${url}${functionPath}/deliver`, {
    method: 'POST',
    headers: { apikey: 'public-anon-key' },
  })

const staff = { email: 'staff@example.com', phone: '+15550002222' }

/** Everybody whom a lead goes to; Airtable has a bad day. */
async function startReceivers(seed: number) {
  // The limit has tests of its own; here a kill may cost a pause, and a lock-out would take 30 s.
  const airtable = await startAirtableStandIn({ requestsPerWindow: 1000 })
  let airtableFaults = 0
  const random = createRandom(seed)
  airtable.settings.chooseFault = () => {
    const fault = chooseFault(random)
    if (fault) airtableFaults += 1
    return fault
  }
  const mail = await startMailStandIn()
  const twilio = await startTwilioStandIn()
  const heard: HandOver[] = []
  const webhook = await startHttpStandIn({
    answer({ headers, text }) {
      const { occasion, lead } = JSON.parse(text).data
      const id = String(headers['webhook-id'])
      if (occasion === 'received')
        heard.push({ channel: 'webhook', at: Date.now(), name: lead.name, id })
      return { status: 200, body: '' }
    },
  })
  return {
    env: {
      ...airtable.env,
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: staff.email,
      ALERT_WEBHOOK_URL: webhook.url,
      ...twilio.env,
      ALERT_SMS_TO: staff.phone,
      // A long run sees reminders too. They go to others, and are not counted.
      ESCALATION_EMAIL_TO: 'owner@example.com',
      ESCALATION_SMS_TO: '+15550003333',
    },
    listArrivals() {
      const mails = mail.mails
        .filter(({ to }) => to.includes(staff.email))
        .map(({ at, subject, text, headers }) => {
          const id = headers.get('message-id') ?? ''
          return { channel: 'email', at, name: findName(subject + text), id }
        })
      // A text message has no id of its own: what it says must do.
      const texts = twilio.messages
        .filter(({ to }) => to === staff.phone)
        .map(({ at, body }) => {
          const name = findName(body)
          return { channel: 'sms', at, name, id: name }
        })
      const rows = airtable.records.map(({ fields }) => ({ name: String(fields.Name) }))
      return { rows, handOvers: [...heard, ...mails, ...texts] }
    },
    countCalls: () => ({ airtableCalls: airtable.requests.length, airtableFaults }),
    close: () => Promise.all([airtable, mail, twilio, webhook].map((one) => one.close())),
  }
}

const findName = (text: string) => text.match(/Visitor \d+/)?.[0] ?? ''

/** One call in ten fails, and of one in twenty the answer is lost. */
function chooseFault(random: () => number): Fault | undefined {
  const failures: Fault[] = [
    { kind: 'error', status: 503, type: 'SERVICE_UNAVAILABLE' },
    { kind: 'html', status: 502 },
    { kind: 'refuse' },
  ]
  const losses: Fault[] = [{ kind: 'lose-answer' }, { kind: 'cut-answer' }]
  const roll = random()
  if (roll >= 0.15) return undefined
  return pickOne(roll < 0.1 ? failures : losses, random)
}
