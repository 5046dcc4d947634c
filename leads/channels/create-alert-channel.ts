import * as v from 'valibot'
import { makeAnswerToken } from '../answer-link.ts'
import type { Context } from '../context.ts'
import { computePromise } from '../deadline.ts'
import type { BusinessHours } from '../hours.ts'
import { leadSchema, type StoredLead } from '../lead.ts'
import { newState } from '../lead-state.ts'
import type { ChannelKind, ChannelSettings, Env } from '../settings.ts'
import { findCallTime } from '../store/find-events.ts'
import { hasAskedBefore } from '../store/find-leads.ts'
import { readLinkSecret } from '../store/stored-settings.ts'
import { dayMs } from '../time-units.ts'
import { count } from '../words.ts'
import { type Alert, describeAlert } from './alert.ts'
import type { Channel, Result } from './channel-type.ts'
import type { System } from './system.ts'

export type Message = { alert: Alert; lead: StoredLead; to: string }

type AlertChannel<Kind extends ChannelKind, Settings> = Omit<
  Channel<Kind, Settings>,
  'send' | 'explainFailure' | 'doctorCheck' | 'batchSize' | 'isAlert' | 'expiresAfterMs'
> & {
  setupHint: string
  sendAlert(
    message: Message,
    context: Pick<Context, 'fetch' | 'now' | keyof System> & { settings: Settings },
    signal: AbortSignal,
  ): Promise<Result>
  /** Tries to sign in without sending anything. Returns what is wrong. */
  findLoginFault?(
    context: Pick<Context, keyof System> & { settings: Settings },
  ): Promise<string | undefined>
}

/** Returns undefined where we cannot serve HTML. */
export async function makeAnswerUrl(
  leadId: string,
  { env, db, now }: Context,
): Promise<string | undefined> {
  const { answerUrl, linkSecret } = env
  const secret = await readLinkSecret(db, linkSecret)
  return answerUrl && `${answerUrl}/${makeAnswerToken(leadId, secret, now())}`
}

// Someone is waiting at the terminal, so this is shorter than for a real alert.
const testTimeoutMs = 10_000

/** Creates a channel that calls its service once for each alert and recipient. */
export const createAlertChannel = <
  Kind extends ChannelKind,
  Settings = NonNullable<ChannelSettings[Kind]>,
>({
  sendAlert,
  findLoginFault,
  ...channel
}: AlertChannel<Kind, Settings>): Channel<Kind, Settings> => ({
  ...channel,
  batchSize: 1,
  isAlert: true,
  // A day after the deadline, an alert is useless.
  expiresAfterMs: dayMs,

  send: (deliveries, { to }, context, signal) =>
    Promise.all(
      deliveries.map(async ({ lead, reason, revision }) => {
        const alert = describeAlert(lead, reason, {
          revision,
          now: context.now(),
          timeZone: context.hours().timeZone,
          answerUrl: await makeAnswerUrl(lead.id, context),
          deskUrl: context.env.desk && `${context.env.desk.url}/#/lead/${lead.id}`,
          isRepeat: await hasAskedBefore(context.db, lead),
          callAt: reason === 'unresolved' ? await findCallTime(context.db, lead.id) : undefined,
        })
        return sendAlert({ alert, lead, to }, context, signal)
      }),
    ),

  explainFailure: (leads, lateBy) => `${channel.label} alerts for ${leads} are ${lateBy} late.`,

  doctorCheck: async (context, { sends }) => {
    const { env, hours, now, timers } = context
    const { label } = channel
    const recipients = await channel.recipients(context)
    const next = 'Fix it in .env, then run: npm run doctor -- --send'
    // Sending a test also finds a wrong password.
    const isTested = sends && recipients.length > 0
    const fault = isTested ? undefined : await findLoginFault?.(context)
    if (fault !== undefined) return [{ state: 'to do', text: `${label}: ${fault}`, next }]
    if (recipients.length === 0) return []
    const people = count(recipients.length, 'recipient')
    if (!sends) return [{ state: 'ok', text: `${label} alerts go to ${people}.` }]
    const test = makeTestAlert(env, hours(), now())
    const signal = timers.timeout(testTimeoutMs)
    const results = await Promise.all(
      recipients.map(({ to }) => sendAlert({ ...test, to }, context, signal)),
    )
    const errors = new Set(results.flatMap((result) => (result.ok ? [] : [result.error])))
    if (errors.size === 0)
      return [{ state: 'ok', text: `${label}: sent a test to ${people}. Check that it arrived.` }]
    return [...errors].map((error) => ({ state: 'to do', text: `${label}: ${error}`, next }))
  },
})

function makeTestAlert({ publicUrl }: Env, hours: BusinessHours, at: number): Omit<Message, 'to'> {
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
    ...describeAlert(lead, 'received', {
      now: at,
      timeZone: hours.timeZone,
      answerUrl: `${publicUrl}/`,
    }),
    reason: 'test' as const,
    headline: 'TEST: this alert works. No call needed',
  }
  return { lead, alert }
}
