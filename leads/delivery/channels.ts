import { type Alert, describeAlert } from '../alerts/alert.ts'
import { createEmailSender } from '../alerts/email.ts'
import { sendSms } from '../alerts/text.ts'
import { sendWebhook, webhookGone } from '../alerts/webhook.ts'
import { makeAnswerToken } from '../answer-link.ts'
import type { Channel, Occasion, Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import type { Env } from '../settings.ts'
import { readLinkSecret } from '../store/kept-settings.ts'
import type { Database } from '../store/tables.ts'
import { createAirtableChannel } from './airtable-channel.ts'
import { listReceivers, type Receiver } from './receivers.ts'
import { isWebhookStopped, stopWebhook } from './stopped-webhook.ts'

export type ChannelDeps = {
  db: Database
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  now: () => number
}

type Send = (alert: Alert, to: string, signal: AbortSignal, lead: StoredLead) => Promise<Result>

/** The channels that can send with these settings. */
export function createChannels(settings: Env, deps: ChannelDeps): Channel[] {
  const { airtable, email, webhook, sms } = settings
  const { db, fetch, now } = deps
  const createAlertChannels = (transport: 'email' | 'sms' | 'webhook', send: Send): Channel[] =>
    listReceivers(settings)
      .filter(({ kind }) => kind.endsWith(transport))
      .map((receiver) => createAlertChannel(receiver, send, settings, deps))
  return [
    ...(airtable ? [createAirtableChannel(airtable, deps)] : []),
    ...(email ? createAlertChannels('email', createEmailSender(email)) : []),
    ...(webhook
      ? createAlertChannels('webhook', async (alert, url, signal, lead) => {
          if (await isWebhookStopped(db, url)) return { ok: false, error: webhookGone }
          const call = { fetch, now: now(), signal }
          const { gone, ...result } = await sendWebhook(alert, lead, webhook, call)
          if (gone) await stopWebhook(db, url)
          return result
        })
      : []),
    ...(sms
      ? createAlertChannels('sms', (alert, to, signal) =>
          sendSms(alert, to, sms, { fetch, signal }),
        )
      : []),
  ]
}

const createAlertChannel = (
  { name, formerName, to }: Receiver,
  send: Send,
  settings: Env,
  deps: ChannelDeps,
): Channel => ({
  name,
  formerName,
  batchSize: 1,
  exclusive: false,
  restMs: 0,
  urgent: true,
  send: async (claimed, signal) => ({
    outcomes: await Promise.all(
      claimed.map(async ({ lead, occasion }) => {
        const alert = await writeAlert(lead, occasion, settings, deps)
        return { leadId: lead.id, occasion, ...(await send(alert, to, signal, lead)) }
      }),
    ),
  }),
})

async function writeAlert(
  lead: StoredLead,
  occasion: Occasion,
  { answerUrl, linkSecret, timeZone }: Env,
  { db, now }: ChannelDeps,
): Promise<Alert> {
  const secret = await readLinkSecret(db, linkSecret)
  const link = answerUrl && `${answerUrl}/${makeAnswerToken(lead.id, secret, now())}`
  return describeAlert(lead, occasion, { now: now(), timeZone, answerUrl: link })
}
