import { AsyncLocalStorage } from 'node:async_hooks'
import { createFakeAirtable } from '#fakes/airtable.ts'
import type { Call, HttpHandler, Reply } from '#fakes/http.ts'
import { createFakePush, pushHost } from '#fakes/push.ts'
import { createFakeTwilio } from '#fakes/twilio.ts'
import type { System } from '#leads/channels/system.ts'
import type { DeliveryReason } from '#leads/delivery-reason.ts'
import type { StoredLead } from '#leads/lead.ts'
import { minuteMs } from '#leads/time-units.ts'
import type { Owner, World } from './world.ts'

/** A process as the services see it. */
export type Sender = Owner & {
  name: string
  /** When it was last killed, paused, or without the database, or when its clock jumped. */
  disturbedAt: number
  isDisturbed: () => boolean
  requests: number
}

/** The message that a process is sending to a recipient. */
export type Sending = {
  recipient: string
  deliveries: readonly { leadId: string; reason: string; version: number }[]
  /** The leads in the message. */
  shownIds: readonly string[]
  isDigest?: boolean
  startedAt: number
}

/** One delivery in a message that a service accepted. */
export type Message = {
  recipient: string
  reason: string
  leadId: string
  /** The lead's version when the message was claimed. */
  version: number
  to: string
  at: number
  sender: Sender
  /** True if the sender may not know that the service accepted the message, so it may send it again. */
  isExcused: boolean
  isRecorded: boolean
  /** The same object for all leads in one notification. A phone replaces a notification with the same tag. */
  notification?: { tag: string; shownIds: readonly string[] }
}

type Claim = {
  recipient: string
  reason: DeliveryReason
  lead: StoredLead
  at: number
  trueAt: number
}

/** A digest that a process sends. */
type DigestClaim = {
  recipient: string
  text: string
  /** The text that the leads required at that moment. */
  expected: string
  at: number
}

export const serviceNames = [
  'Airtable',
  'Twilio',
  'the push service',
  'the webhook',
  'mail',
] as const
type ServiceName = (typeof serviceNames)[number]

/** The ways in which a request can fail. */
const faults = ['429', '500', 'refuse', 'ignore', 'accept and hang', 'accept and break'] as const
type Fault = (typeof faults)[number]

export type Services = ReturnType<typeof createServices>

/** Fakes of all services, behind a network that delays, loses, and breaks requests. */
export function createServices(world: World) {
  const now = world.trueNow
  const airtable = createFakeAirtable({ now })
  const chooseErrorCode = () => (isCalm || world.chance(0.9) ? undefined : 30003)
  const twilio = createFakeTwilio({ now, chooseErrorCode })
  const push = createFakePush({ now, isEncrypted: false })
  const webhook = { answer: () => ({ status: 200, body: {} }) }
  const hosts: Record<string, [ServiceName, Pick<HttpHandler, 'answer'>]> = {
    'airtable.test': ['Airtable', airtable.handler],
    'twilio.test': ['Twilio', twilio.handler],
    'hooks.test': ['the webhook', webhook],
    [pushHost]: ['the push service', push.handler],
  }
  const messages: Message[] = []
  const claims: Claim[] = []
  /** The digests that a service accepted, separate from messages about leads. */
  const digests: Message[] = []
  const digestClaims: DigestClaim[] = []
  /** The writes that reached Airtable. A late write is from a process that may have lost its lease. */
  const writes: { leadId: string; startedAt: number; at: number; isLate: boolean }[] = []
  const outages = new Map<ServiceName, number>()
  const sending = new AsyncLocalStorage<Sending>()
  let isCalm = false

  function chooseFault(service: ServiceName): Fault | undefined {
    if (isCalm) return undefined
    const isDown = (outages.get(service) ?? 0) > now()
    return isDown || world.chance(0.08) ? world.pick(faults) : undefined
  }
  const chooseLatency = () =>
    world.chance(0.04) ? world.between(1, 8) * 1_000 : world.between(5, 300)

  function noteMessage(
    sender: Sender,
    what: Sending | undefined,
    to: string,
    tag?: string,
  ): Message[] {
    if (!what) return []
    const notification = tag === undefined ? undefined : { tag, shownIds: what.shownIds }
    const found = what.deliveries.map(
      ({ leadId, reason, version }): Message => ({
        recipient: what.recipient,
        ...{ reason, leadId, version },
        to,
        at: world.now(),
        sender,
        // The lease may have expired while the message was on its way.
        isExcused: sender.isDisturbed() || sender.disturbedAt >= what.startedAt,
        isRecorded: false,
        ...(notification && { notification }),
      }),
    )
    ;(what.isDigest ? digests : messages).push(...found)
    return found
  }

  /** Sends one request. `accept` runs when it reaches the service, even if the sender was killed. */
  function request<Result>(
    sender: Sender,
    service: ServiceName,
    accept: () => Message[],
    respond: (fault: Fault | undefined) => Result | Error,
    signal?: AbortSignal | null,
  ): Promise<Result> {
    const fault = chooseFault(service)
    let accepted: Message[] = []
    sender.requests += 1
    return new Promise<Result>((resolve, reject) => {
      const end = (result: Result | Error) => {
        signal?.removeEventListener('abort', stopWaiting)
        if (result instanceof Error) reject(result)
        else resolve(result)
      }
      const stopWaiting = () => {
        for (const message of accepted) message.isExcused = true
        reject(signal?.reason)
      }
      if (signal?.aborted) return stopWaiting()
      signal?.addEventListener('abort', stopWaiting)
      world.schedule(chooseLatency(), () => {
        if (fault === 'ignore') return
        const isAccepted = fault === undefined || fault.startsWith('accept')
        if (isAccepted) accepted = accept()
        if (fault) for (const message of accepted) message.isExcused = true
        if (fault === 'accept and hang') return
        world.schedule(chooseLatency(), () => end(respond(fault)), sender)
      })
    }).finally(() => {
      sender.requests -= 1
    })
  }

  const createFetch = (sender: Sender) =>
    ((input: string, init: RequestInit = {}) => {
      const url = new URL(input)
      const [service, handler] = hosts[url.host] ?? []
      if (!service || !handler) throw new Error(`Nobody simulates ${url.host}.`)
      const text = String(init.body ?? '')
      const headers = Object.fromEntries(new Headers(init.headers))
      const method = init.method ?? 'GET'
      const call: Call = { method, url, headers, bytes: Buffer.from(text), text }
      const what = sending.getStore()
      let reply: Reply | undefined
      const accept = () => {
        reply = handler.answer(call) as Reply
        if (reply.status >= 300 || method === 'GET') return []
        if (service === 'Airtable') noteWrites(sender, call, what)
        if (service !== 'the push service') return noteMessage(sender, what, url.host)
        return noteMessage(sender, what, url.pathname, JSON.parse(text).notification.tag)
      }
      const respond = (fault: Fault | undefined) => {
        if (fault === 'refuse' || fault === 'accept and break') return brokenConnection()
        if (fault === '429')
          return new Response('{}', { status: 429, headers: { 'retry-after': '20' } })
        if (fault || !reply) return new Response('{}', { status: 500 })
        const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
        return new Response(body, { status: reply.status })
      }
      return request(sender, service, accept, respond, init.signal)
    }) as typeof fetch

  function noteWrites(sender: Sender, { method, text }: Call, what: Sending | undefined): void {
    if (method !== 'PATCH' || !what) return
    const { startedAt } = what
    const isLate = sender.disturbedAt >= startedAt || sender.isDisturbed()
    for (const { id, fields } of JSON.parse(text).records) {
      const row = airtable.tables[0]?.records.find((record) => record.id === id)
      const leadId = String(fields['Lead ID'] ?? row?.fields['Lead ID'])
      writes.push({ leadId, startedAt, at: now(), isLate })
    }
  }

  const createMail =
    (sender: Sender): System['openMailServer'] =>
    () => ({
      verify: async () => true,
      sendMail: ({ to }) => {
        const address = typeof to === 'string' ? to : (to as { address: string }).address
        const what = sending.getStore()
        const respond = (fault: Fault | undefined) => {
          if (fault === '429' || fault === '500') return smtpError(451)
          return fault ? Object.assign(new Error('lost'), { code: 'ECONNECTION' }) : {}
        }
        const signal = world.createTimers(sender).timeout(20_000)
        return request(sender, 'mail', () => noteMessage(sender, what, address), respond, signal)
      },
    })

  return {
    airtable,
    push,
    messages,
    claims,
    digests,
    digestClaims,
    writes,
    sending,
    createFetch,
    createMail,
    env: {
      ...airtable.makeEnv('https://airtable.test'),
      ...twilio.makeEnv('https://twilio.test'),
      ALERT_WEBHOOK_URL: 'https://hooks.test/lead',
      SMTP_URL: 'smtp://mail.test',
      ALERT_EMAIL_FROM: 'alerts@example.com',
      PUSH_SERVICES: pushHost,
    },
    startOutage(service: ServiceName, minutes: number) {
      outages.set(service, now() + minutes * minuteMs)
    },
    /** Called when a process is killed or paused, loses its database, or its clock jumps. */
    excuse(sender: Sender) {
      sender.disturbedAt = now()
      for (const message of [...messages, ...digests])
        if (message.sender === sender && !message.isRecorded) message.isExcused = true
    },
    noteRecorded(sender: Sender, recipient: string, leadIds: readonly string[]) {
      for (const message of [...messages, ...digests])
        if (message.sender === sender && message.recipient === recipient)
          if (leadIds.includes(message.leadId)) message.isRecorded = true
    },
    stopFaults() {
      isCalm = true
    },
  }
}

const brokenConnection = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })

const smtpError = (responseCode: number) =>
  Object.assign(new Error('Try again later'), { code: 'EMESSAGE', responseCode, command: 'DATA' })
