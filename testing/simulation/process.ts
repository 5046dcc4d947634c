import type { Channel, Recipient } from '#leads/channels/channel-type.ts'
import { channels } from '#leads/channels/channels.ts'
import type { System } from '#leads/channels/system.ts'
import { createContext } from '#leads/context.ts'
import { createDeskService } from '#leads/desk/service.ts'
import type { BusinessHours } from '#leads/hours.ts'
import type { Log } from '#leads/log.ts'
import { createService } from '#leads/service.ts'
import type { Env } from '#leads/settings.ts'
import { type ClaimedLead, nameDigest } from '#leads/store/claims.ts'
import type { Database } from '#leads/store/tables.ts'
import { testCompany } from '#testing/saved-leads.ts'
import { addDatabaseFaults } from './database.ts'
import { describeToDo } from './digest-sentences.ts'
import type { History } from './observed-changes.ts'
import type { Sender, Sending, Services } from './services.ts'
import { createInFlight, secondMs, type World } from './world.ts'

export type Process = Awaited<ReturnType<typeof startProcess>>

type Options = {
  name: string
  env: Env
  hours: BusinessHours
  /** Supabase's mode: no timers; a cron job and each request start due deliveries. */
  isEdge: boolean
  history: History
  openDatabase: (owner: Sender) => Promise<Database & { close(): Promise<void> }>
}

/** Starts the real service and desk with the world's clock, network, and database. */
export async function startProcess(world: World, services: Services, options: Options) {
  const { name, env, hours, history, isEdge } = options
  const faults = { downUntil: 0, flakyUntil: 0 }
  const sender: Sender & { sends: number; handled: number } = {
    name,
    isDead: false,
    pausedUntil: 0,
    disturbedAt: Number.NEGATIVE_INFINITY,
    requests: 0,
    sends: 0,
    handled: 0,
    isDisturbed: () =>
      sender.isDead ||
      sender.pausedUntil > world.elapsed() ||
      Math.max(faults.downUntil, faults.flakyUntil) > world.elapsed(),
  }
  const opened = await options.openDatabase(sender)
  const isDown = () => faults.downUntil > world.elapsed()
  const isFlaky = () => faults.flakyUntil > world.elapsed()
  const fail = () => {
    throw Object.assign(new Error('the database is down'), { code: 'ECONNREFUSED' })
  }
  const db = addDatabaseFaults(opened, {
    inFlight: opened.engine === 'postgres' ? world.inFlight : createInFlight(),
    async reach() {
      world.noteActivity()
      if (world.chance(0.1)) await world.pass(world.between(1, 60), sender)
      if (isDown() || (isFlaky() && world.chance(0.2))) fail()
    },
    async reachAgain() {
      if (opened.engine === 'sqlite' && world.chance(0.02))
        await world.pass(world.between(1, 60), sender)
      if (isDown() || (isFlaky() && world.chance(0.1))) fail()
    },
    noteWrite: history.noteWrite,
    loseAnswer() {
      if (isFlaky() && world.chance(0.15)) fail()
    },
  })

  const log: Log = {
    info(fields, message) {
      const { recipient, leadIds } = fields as { recipient?: string; leadIds?: string[] }
      if (message === 'sent' && recipient && leadIds)
        services.noteRecorded(sender, recipient, leadIds)
      if (message === 'digest sent' && recipient) services.noteRecorded(sender, recipient, [''])
    },
    warn() {},
    error(fields, message) {
      world.say(`${name}: ${message} ${JSON.stringify(fields)}`)
    },
  }
  const system: System = {
    timers: world.createTimers(sender),
    random: world.random,
    makeId: world.makeId,
    openMailServer: services.createMail(sender),
    encryptPush: (async ({ data }: { data: unknown }) => ({
      headers: {},
      method: 'POST',
      body: JSON.stringify(data),
    })) as unknown as System['encryptPush'],
  }
  const context = createContext({
    env,
    hours: () => hours,
    company: () => testCompany,
    db,
    log,
    system,
    fetch: services.createFetch(sender),
    now: world.now,
  })
  const readClientAddress = (c: { req: { header(name: string): string | undefined } }) =>
    c.req.header('client') ?? ''
  const { app, deliverer } = createService(context, {
    readClientAddress,
    mayShareAddress: () => false,
    channels: channels.map(watchSends),
    ...(isEdge && { wake: (one) => void one.deliverDue(100 * secondMs) }),
  })
  const desk = createDeskService(context, {
    url: env.desk?.url ?? '',
    readMachine: async () => ({ samples: [] }) as never,
    sendPage: (c) => c.text(''),
    readClientAddress,
    wake: () => {
      if (!isEdge) deliverer.wake()
    },
  })
  if (!isEdge) deliverer.start()

  /** Records what was claimed, and tells the services what each request is about. */
  function watchSends(channel: Channel): Channel {
    const { sendSummary, digest } = channel
    return {
      ...channel,
      send: (deliveries, recipient, ...rest) =>
        watch(deliveries, recipient, deliveries, () =>
          channel.send(deliveries, recipient, ...rest),
        ),
      ...(sendSummary && {
        sendSummary: (deliveries, summary, recipient, ...rest) => {
          const shown = summary.leads.map((lead) => ({ lead }))
          return watch(deliveries, recipient, shown, () =>
            sendSummary(deliveries, summary, recipient, ...rest),
          )
        },
      }),
      ...(digest && {
        digest: {
          ...digest,
          send: (sent, recipient, ...rest) =>
            watchDigest(sent.text, recipient, () => digest.send(sent, recipient, ...rest)),
        },
      }),
    }
  }

  async function watchDigest<Sent>(
    text: string,
    { name: to }: Recipient,
    send: () => Promise<Sent>,
  ): Promise<Sent> {
    const recipient = nameDigest(to)
    world.say(`Process ${name} claims ${recipient}: ${text}.`)
    world.inFlight.start()
    const leads = await history.readLeads().finally(world.inFlight.end)
    const expected = describeToDo(leads, { now: world.now(), hours })
    services.digestClaims.push({ recipient, text, expected, at: world.now() })
    const deliveries = [{ leadId: '', reason: 'digest', version: 0 }]
    const what = { recipient, deliveries, shownIds: [], isDigest: true }
    return track(what, send)
  }

  async function watch<Results>(
    deliveries: readonly ClaimedLead[],
    recipient: Recipient,
    shown: readonly Pick<ClaimedLead, 'lead'>[],
    send: () => Promise<Results>,
  ): Promise<Results> {
    const what = {
      recipient: recipient.name,
      deliveries: deliveries.map(({ lead: { id: leadId, version }, reason }) => ({
        ...{ leadId, reason, version },
      })),
      shownIds: shown.map(({ lead }) => lead.id),
    }
    for (const { lead, reason } of deliveries) {
      world.say(`Process ${name} claims ${recipient.name} ${reason} about ${lead.name}.`)
      const times = { at: world.now(), trueAt: world.trueNow() }
      services.claims.push({ recipient: recipient.name, reason, lead, ...times })
    }
    return track(what, send)
  }

  async function track<Results>(
    what: Omit<Sending, 'startedAt'>,
    send: () => Promise<Results>,
  ): Promise<Results> {
    sender.sends += 1
    try {
      return await services.sending.run({ ...what, startedAt: world.trueNow() }, send)
    } finally {
      sender.sends -= 1
    }
  }

  return Object.assign(sender, {
    app,
    desk,
    deliverer,
    faults,
    async kill() {
      sender.isDead = true
      await opened.close()
    },
  })
}
