import { createHash } from 'node:crypto'
import type { AirtableSettings } from '../airtable/client.ts'
import { sendToAirtable } from '../airtable/send.ts'
import { markAnswered, markNew } from '../airtable/status.ts'
import { type Alert, describeAlert } from '../alerts/alert.ts'
import { createEmailSender } from '../alerts/email.ts'
import { sendSms } from '../alerts/text.ts'
import { sendWebhook, webhookGone } from '../alerts/webhook.ts'
import { makeAnswerToken } from '../answer-link.ts'
import type { Channel, ClaimedLead, Occasion, Outcome, Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import type { Env } from '../settings.ts'
import { readLinkSecret, readSetting, writeSetting } from '../store/kept-settings.ts'
import { type Backlog, findLead } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { kindOf, listReceivers, nameReceivers, type Receiver } from './receivers.ts'
import { findFirstEscalationAt } from './reminders.ts'

export type ChannelSettings = Pick<
  Env,
  | 'airtable'
  | 'email'
  | 'webhook'
  | 'sms'
  | 'escalateAfterMinutes'
  | 'answerUrl'
  | 'linkSecret'
  | 'timeZone'
>

export type ChannelDeps = {
  db: Database
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  now: () => number
}

/** The channels that hear when nobody has called. */
export const listEscalationChannels = ({ email, webhook, sms }: ChannelSettings): string[] => [
  ...nameReceivers('escalation-email', email?.escalationTo).map(({ name }) => name),
  ...nameReceivers('escalation-sms', sms?.escalationTo).map(({ name }) => name),
  ...(webhook ? ['webhook'] : []),
]

/**
 * Where a new lead goes, and when staff are first reminded. Airtable gets every lead, even if it is
 * set up only later: the row is the record. An alert is news: a channel set up later does not ring
 * for what came before.
 */
export function planDelivery(
  settings: ChannelSettings,
  { suspect }: { suspect: string | null },
  now: number,
): { channels: string[]; escalateAt?: number } {
  const { email, webhook, sms, escalateAfterMinutes } = settings
  const quiet = [
    'airtable',
    ...nameReceivers('email', email?.to).map(({ name }) => name),
    ...(webhook ? ['webhook'] : []),
  ]
  // A robot's lead may be a person's after all, so it is told; but it wakes nobody.
  if (suspect !== null) return { channels: quiet }
  return {
    channels: [...quiet, ...nameReceivers('sms', sms?.to).map(({ name }) => name)],
    escalateAt: findFirstEscalationAt(now, escalateAfterMinutes),
  }
}

/** The channels that can send with these settings. */
export function createChannels(settings: ChannelSettings, deps: ChannelDeps): Channel[] {
  const { airtable, email, webhook, sms } = settings
  const channels: Channel[] = airtable ? [createAirtableChannel(airtable, deps)] : []

  const createAlertChannel = (
    named: Pick<Receiver, 'name'> & Partial<Receiver>,
    handOver: (alert: Alert, lead: StoredLead, signal: AbortSignal) => Promise<Result>,
  ): Channel => ({
    name: named.name,
    formerName: named.formerName,
    batchSize: 1,
    exclusive: false,
    restMs: 0,
    urgent: true,
    send: async (claimed, signal) => ({
      outcomes: await Promise.all(
        claimed.map(async ({ lead, occasion }): Promise<Outcome> => {
          const alert = await writeAlert(lead, occasion, settings, deps)
          return { leadId: lead.id, occasion, ...(await handOver(alert, lead, signal)) }
        }),
      ),
    }),
  })

  if (email) {
    const sendEmail = createEmailSender(email)
    for (const receiver of [
      ...nameReceivers('email', email.to),
      ...nameReceivers('escalation-email', email.escalationTo),
    ])
      channels.push(
        createAlertChannel(receiver, (alert, _, signal) => sendEmail(alert, receiver.to, signal)),
      )
  }
  if (webhook)
    channels.push(
      createAlertChannel({ name: 'webhook' }, async (alert, lead, signal) => {
        if (await isWebhookStopped(deps.db, webhook.url)) return { ok: false, error: webhookGone }
        const { fetch, now } = deps
        const { gone, ...result } = await sendWebhook(alert, lead, webhook, {
          fetch,
          now: now(),
          signal,
        })
        if (gone) await writeSetting(deps.db, stoppedWebhook, hash(webhook.url))
        return result
      }),
    )
  if (sms)
    for (const receiver of [
      ...nameReceivers('sms', sms.to),
      ...nameReceivers('escalation-sms', sms.escalationTo),
    ])
      channels.push(
        createAlertChannel(receiver, (alert, _, signal) =>
          sendSms(alert, receiver.to, sms, { fetch: deps.fetch, signal }),
        ),
      )
  return channels
}

async function writeAlert(
  lead: StoredLead,
  occasion: Occasion,
  { answerUrl, linkSecret, timeZone }: ChannelSettings,
  { db, now }: ChannelDeps,
): Promise<Alert> {
  const link =
    answerUrl &&
    `${answerUrl}/${makeAnswerToken(lead.id, await readLinkSecret(db, linkSecret), now())}`
  return describeAlert(lead, occasion, { now: now(), timeZone, answerUrl: link })
}

/** By this name the database remembers the webhook that answered 410. */
export const stoppedWebhook = 'stopped-webhook'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

export const isWebhookStopped = async (db: Database, url: string): Promise<boolean> =>
  (await readSetting(db, stoppedWebhook)) === hash(url)

const alertLagMs = 60_000
const airtableLagMs = 10 * 60_000

/** What the owner should look at, in sentences without personal data. */
export async function listWarnings(
  settings: ChannelSettings,
  db: Database,
  backlog: readonly Backlog[],
  now: number,
): Promise<string[]> {
  const { airtable, webhook } = settings
  const receivers = listReceivers(settings)
  const [sent, gone] = [new Map<string, Backlog[]>(), new Map<string, Backlog[]>()]
  for (const one of backlog) {
    // Leads are planned for Airtable before it is set up, which is said elsewhere.
    if (one.channel === 'airtable' && !airtable) continue
    const group = one.channel === 'airtable' || receivers.has(one.channel) ? sent : gone
    const kind = kindOf(one.channel)
    group.set(kind, [...(group.get(kind) ?? []), one])
  }
  const countAll = (all: readonly Backlog[]) => all.reduce((sum, { waiting }) => sum + waiting, 0)
  const lags = [...sent].flatMap(([kind, all]) => {
    const waitedMs = now - Math.min(...all.map(({ oldestAt }) => oldestAt))
    return waitedMs > (kind === 'airtable' ? airtableLagMs : alertLagMs)
      ? [`${kind} lags: ${countAll(all)} wait, the oldest for ${Math.round(waitedMs / 1000)} s.`]
      : []
  })
  const forNobody = countAll([...gone.values()].flat())
  return [
    ...lags,
    ...(forNobody > 0
      ? [
          `${forNobody} ${forNobody === 1 ? 'alert waits' : 'alerts wait'} for a receiver who is gone (${[...gone.keys()].join(', ')}). npm run leads tells which, and how to drop ${forNobody === 1 ? 'it' : 'them'}.`,
        ]
      : []),
    ...(webhook && (await isWebhookStopped(db, webhook.url)) ? [webhookGone] : []),
  ]
}

function createAirtableChannel(airtable: AirtableSettings, deps: ChannelDeps): Channel {
  const { db, fetch, pause } = deps
  return {
    name: 'airtable',
    // Airtable takes ten records a request and five requests a second from all senders together.
    batchSize: 10,
    exclusive: true,
    restMs: 250,
    send: async (claimed, signal) => {
      const callDeps = { fetch, pause, signal }
      const outcomes: Outcome[] = []
      const { withRow, without } = await splitByRow(pick('answered'), db)
      outcomes.push(...without)
      for (const [occasion, leads, send] of [
        ['received', pick('received'), sendToAirtable],
        ['status', pick('status'), markNew],
        ['answered', withRow, markAnswered],
      ] as const) {
        if (leads.length === 0) continue
        const { holdMs, ...sent } = await send(leads, airtable, callDeps)
        outcomes.push(...sent.outcomes.map((one) => ({ ...one, occasion })))
        // What is left was claimed, and has its next turn after the rest.
        if (holdMs) return { outcomes, holdMs }
      }
      return { outcomes }

      function pick(occasion: Occasion) {
        return claimed.filter((one) => one.occasion === occasion).map(({ lead }) => lead)
      }
    },
  }
}

/** An answer can be written into a row only once the row is there. */
async function splitByRow(leads: readonly ClaimedLead['lead'][], db: Database) {
  const withRow: StoredLead[] = []
  const without: Outcome[] = []
  for (const lead of leads) {
    const deliveries = (await findLead(db, lead.id))?.deliveries ?? []
    if (
      deliveries.some(
        ({ channel, occasion, state }) =>
          channel === 'airtable' && occasion === 'received' && state === 'sent',
      )
    )
      withRow.push(lead)
    else
      without.push({
        leadId: lead.id,
        occasion: 'answered',
        ok: false,
        error: 'The lead’s row is not in Airtable yet.',
      })
  }
  return { withRow, without }
}
