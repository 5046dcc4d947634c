import * as v from 'valibot'
import { makeAnswerToken } from '../answer-link.ts'
import { computePromise } from '../deadline.ts'
import { newState } from '../history.ts'
import type { BusinessHours } from '../hours.ts'
import { leadSchema, type StoredLead } from '../lead.ts'
import { hasAskedBefore } from '../store/list-repeats.ts'
import { readLinkSecret } from '../store/stored-settings.ts'
import { type Alert, describeAlert } from './alert.ts'
import type { Channel, Context, Result, SiteSettings } from './channel-type.ts'
import type { System } from './system.ts'

export type Message = { alert: Alert; lead: StoredLead; to: string }

type AlertChannel<Kind extends string, Variables extends v.ObjectEntries, Settings> = Pick<
  Channel<Kind, Variables, Settings>,
  | 'kind'
  | 'label'
  | 'wakesPhones'
  | 'settings'
  | 'reasons'
  | 'recipients'
  | 'sendSummary'
  | 'findArrival'
> & {
  setupHint: string
  sendAlert(
    message: Message,
    context: Pick<Context<Settings>, 'settings' | 'fetch' | 'now' | keyof System>,
    signal: AbortSignal,
  ): Promise<Result>
}

/** Returns undefined where we cannot serve HTML. */
export async function makeAnswerUrl(
  leadId: string,
  { env, db, now }: Pick<Context<unknown>, 'env' | 'db' | 'now'>,
): Promise<string | undefined> {
  const { answerUrl, linkSecret } = env
  const secret = await readLinkSecret(db, linkSecret)
  return answerUrl && `${answerUrl}/${makeAnswerToken(leadId, secret, now())}`
}

// Someone is waiting at the terminal, so this is shorter than for a real alert.
const testTimeoutMs = 10_000

/** Creates a channel that sends each alert to one address per request. */
export const createAlertChannel = <
  Kind extends string,
  Variables extends v.ObjectEntries,
  Settings,
>({
  sendAlert,
  ...channel
}: AlertChannel<Kind, Variables, Settings>): Channel<Kind, Variables, Settings> => ({
  ...channel,
  batchSize: 1,
  isAlert: true,
  // A day after the deadline, an alert is useless.
  expiresAfterMs: 24 * 3_600_000,

  send: (deliveries, { to }, context, signal) =>
    Promise.all(
      deliveries.map(async ({ lead, reason }) => {
        const alert = describeAlert(lead, reason, {
          now: context.now(),
          timeZone: context.env.timeZone,
          answerUrl: await makeAnswerUrl(lead.id, context),
          isRepeat: await hasAskedBefore(context.db, lead),
        })
        return sendAlert({ alert, lead, to }, context, signal)
      }),
    ),

  explainFailure: (leads, lateBy) => `${channel.label} alerts for ${leads} are ${lateBy} late.`,

  doctorCheck: async (context) => {
    const { env, hours, now, sends, timers } = context
    const recipients = await channel.recipients(context)
    if (recipients.length === 0) return []
    const count = `${recipients.length} recipient${recipients.length === 1 ? '' : 's'}`
    const { label } = channel
    if (!sends) return [{ state: 'ok', text: `${label} alerts go to ${count}.` }]
    const test = makeTestAlert(env, hours(), now())
    const signal = timers.timeout(testTimeoutMs)
    const results = await Promise.all(
      recipients.map(({ to }) => sendAlert({ ...test, to }, context, signal)),
    )
    const errors = new Set(results.flatMap((result) => (result.ok ? [] : [result.error])))
    if (errors.size === 0)
      return [{ state: 'ok', text: `${label}: sent a test to ${count}. Check that it arrived.` }]
    const next = 'Fix it in .env, then run: npm run doctor -- --send'
    return [...errors].map((error) => ({ state: 'to do', text: `${label}: ${error}`, next }))
  },
})

function makeTestAlert(
  { publicUrl, timeZone }: SiteSettings,
  hours: BusinessHours,
  at: number,
): Omit<Message, 'to'> {
  const lead = {
    id: `test-${at}`,
    ...v.parse(leadSchema, {
      name: 'TEST',
      email: 'nobody@example.com',
      phone: '(555) 555-0100',
      address: 'This is a test',
    }),
    receivedAt: at,
    ...computePromise(at, 'emergency', { ...hours, emergencies: 'always' }),
    suspect: null,
    inBurst: 0,
    consent: null,
    source: null,
    ...newState,
  }
  const alert = {
    ...describeAlert(lead, 'received', { now: at, timeZone, answerUrl: `${publicUrl}/` }),
    reason: 'test' as const,
    headline: 'TEST: this alert works. No call needed',
  }
  return { lead, alert }
}
