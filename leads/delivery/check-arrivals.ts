import type { Arrival, Channel } from '../channels/channel-type.ts'
import { findChannel, findSettings } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { acquire, arrivals, release } from '../store/claims.ts'
import { hurryFirstReminders, type Told } from '../store/crew-rows.ts'
import {
  firstQuestionMs,
  listMessageDeliveries,
  listQuestions,
  recordAnswer,
  type SentMessage,
} from '../store/deliveries.ts'

// When we ask, in ms after sending. After the last question, the desk shows the message as “not confirmed.”
const questionsAfterMs = [firstQuestionMs, 15_000, 60_000, 300_000]
const messagesAtOnce = 10
// Longer than a request's timeout, so that two processes do not ask about the same message.
const leaseMs = 20_000

/**
 * Asks the services whether sent messages arrived. If one failed and no alert about the lead has arrived, makes its
 * first reminder due now.
 */
export async function checkArrivals(
  context: Context,
  all: readonly Channel[],
  signal: AbortSignal,
): Promise<void> {
  const { db, makeId, now, log } = context
  const holder = makeId()
  if (!(await acquire(db, arrivals, { holder, now: now(), until: now() + leaseMs }))) return
  try {
    await Promise.all((await listQuestions(db, now(), messagesAtOnce)).map(ask))
  } finally {
    await release(db, arrivals, holder, 0)
  }

  async function ask(message: SentMessage): Promise<void> {
    const { recipient, sentAt } = message
    const arrival = await findArrival(message)
    if (arrival.state === 'failed') {
      const { error } = arrival
      const deliveries = await listMessageDeliveries(db, message)
      for (const { leadId } of deliveries)
        log.warn({ leadId, recipient, error }, 'accepted, but not delivered')
      const alerted = deliveries.filter(({ reason }) => reason === 'received')
      const leadIds = alerted.map(({ leadId }) => leadId)
      await hurryFirstReminders(db, leadIds, { now: now(), isTold: hasArrived })
      return recordAnswer(db, message, { state: 'failed', lastError: error })
    }
    // If the process stops before the service answers, record nothing, so that another process asks.
    if (arrival.state === 'unknown' && signal.aborted) return
    if (arrival.state === 'arrived')
      return recordAnswer(db, message, { state: 'sent', arrivedAt: now() })
    const nextAt = questionsAfterMs.map((ms) => sentAt + ms).find((at) => at > now())
    return recordAnswer(db, message, nextAt ? { nextAttemptAt: nextAt } : { state: 'sent' })
  }

  async function findArrival({ recipient, messageId }: SentMessage): Promise<Arrival> {
    const channel = findChannel(recipient, all)
    const settings = channel && findSettings(channel, context)
    if (!channel?.findArrival || settings === undefined) return { state: 'unknown' }
    return channel.findArrival(messageId, { ...context, settings }, signal)
  }
}

const hasArrived = ({ recipient, arrivedAt }: Told) =>
  arrivedAt !== null && findChannel(recipient)?.isAlert === true
