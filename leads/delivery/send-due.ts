import type { Channel, Recipient, Result } from '../channels/channel-type.ts'
import { findChannel, findSettings } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { type FaultLog, nameError } from '../log.ts'
import { type Claim, claimDue, type Lease, release, renew } from '../store/claims.ts'
import { hurryFirstReminders, repeatQuestion, type Told } from '../store/crew-rows.ts'
import { recordResults, retryDeliveries } from '../store/deliveries.ts'
import { cancelLostNotifications } from '../store/push-devices.ts'
import { minuteMs } from '../time-units.ts'
import { type DecidedResult, decideReport, decideResults } from './record-results.ts'

export const leaseMs = 20_000
// Aborts a send this long before another process could become the sender.
const abortMs = 2_000
const recordTries = 30
const recordRetryMs = 1_000
// Short enough to keep the promise; allows at most 30 messages an hour.
const combineEveryMs = 2 * minuteMs

/** Retries while the database restarts, because a message whose result is not recorded is sent again. */
export async function keepTrying(
  work: () => Promise<unknown>,
  { pause, aborting }: Pick<Context, 'pause'> & { aborting: AbortSignal },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work()
      return
    } catch (error) {
      if (tries === recordTries || aborting.aborted) throw error
      await pause(recordRetryMs)
    }
  }
}

type Sender = {
  /** Identifies the process in leases. */
  holder: string
  faults: FaultLog
  renewEveryMs: number
  /** The recipients that accepted a message since this process started. */
  succeeded: Set<string>
  /** Returns true once no new send may start. */
  isOver(): boolean
  aborting: AbortSignal
}

/** Sends until nothing is due, or until a send fails, so that another process can try. */
export async function sendDue(
  channel: Channel,
  recipient: Recipient,
  context: Context,
  { holder, faults, renewEveryMs, succeeded, isOver, aborting }: Sender,
): Promise<void> {
  const { batchSize, restMs = 0, isAlert, arrivesWhenSent, wakesPhones } = channel
  const { name } = recipient
  const { db, now, pause, timers, random, makeId, log } = context
  const lease = () => ({ holder, now: now(), until: now() + (channel.leaseMs ?? leaseMs) })

  for (let hasSent = false; !isOver(); hasSent = true) {
    const acquired = lease()
    const claim = await claimDue(db, name, acquired, {
      batchSize,
      combines: channel.sendSummary !== undefined,
      messageId: makeId(),
      restMs: hasSent ? restMs : 0,
    })
    if (!claim) return
    // The process was paused, so another one may have become the sender.
    if (now() >= acquired.until) continue
    const { lost, stopRenewing } = keepLease(acquired)
    const results = await send(claim, AbortSignal.any([lost, aborting]))
    await record(claim, results).finally(stopRenewing)
    const waitMs = Math.max(computeRetryAfterMs(results), restMs)
    // Store the service's wait even if the lease counts as lost, because the database may only have been slow.
    if (isOver() || lost.aborted || results.some(({ ok }) => !ok)) return leave(waitMs)
    if (restMs > 0) await pause(restMs)
  }
  return leave(restMs)

  function leave(waitMs: number): Promise<void> {
    const notBefore = waitMs > 0 ? now() + waitMs : 0
    return keepTrying(() => release(db, name, holder, notBefore), { pause, aborting })
  }

  /**
   * Renews the lease until stopped. `lost` fires if another process has become the sender, or may soon because the
   * database does not respond.
   */
  function keepLease({ until }: Lease) {
    const losing = new AbortController()
    const lose = () => losing.abort()
    let isStopped = false
    let cancelRenewal = timers.start(renewEveryMs, renewLease)
    let cancelEnd = startEnd(until)
    function startEnd(at: number) {
      return timers.start(Math.max(0, at - abortMs - now()), lose)
    }
    // Renew one at a time so that an older renewal cannot overwrite a newer one.
    async function renewLease() {
      const next = lease()
      const isRenewed = await renew(db, name, next).catch(() => undefined)
      if (isRenewed === false) lose()
      if (isStopped) return
      if (isRenewed) {
        cancelEnd()
        cancelEnd = startEnd(next.until)
      }
      cancelRenewal = timers.start(renewEveryMs, renewLease)
    }
    const stopRenewing = () => {
      isStopped = true
      cancelRenewal()
      cancelEnd()
    }
    return { lost: losing.signal, stopRenewing }
  }

  /** Sends the deliveries, or one combined message about their leads. */
  async function send(
    { deliveries, summary }: Claim,
    signal: AbortSignal,
  ): Promise<readonly Result[]> {
    const ownContext = { ...context, settings: findSettings(channel, context) }
    try {
      if (!channel.sendSummary || !summary)
        return await channel.send(deliveries, recipient, ownContext, signal)
      const [result] =
        summary.leads.length === 1
          ? await channel.send(deliveries.slice(0, 1), recipient, ownContext, signal)
          : [await channel.sendSummary(deliveries, summary, recipient, ownContext, signal)]
      return deliveries.map(() => result ?? { ok: false, error: 'The channel returned no result.' })
    } catch (error) {
      return deliveries.map(() => ({ ok: false, error: nameError(error) }))
    }
  }

  async function record({ deliveries, summary }: Claim, results: readonly Result[]): Promise<void> {
    const decided = decideResults(deliveries, results, { now: now(), random, isAlert })
    const burstAt = summary?.isBurst && results[0]?.ok ? now() + combineEveryMs : undefined
    await keepTrying(
      () => recordResults(db, name, decided, { holder, now: now(), arrivesWhenSent, burstAt }),
      { pause, aborting },
    )
    await report(decided)
  }

  async function report(decided: readonly DecidedResult[]): Promise<void> {
    const { sent, undeliverable, outages, delayed } = decideReport(decided)
    if (sent.length > 0) {
      const recovered = faults.clear(`recipient ${name}`, `${name} accepts leads again`)
      // Other deliveries may have backed off by up to 15 minutes. The first success of a process counts
      // as a recovery, because deliveries may have failed before it started.
      if (recovered || !succeeded.has(name))
        await keepTrying(() => retryDeliveries(db, 'all', now(), name), { pause, aborting })
      succeeded.add(name)
      log.info({ recipient: name, leadIds: sent }, 'sent')
    }
    for (const { leadId, error } of undeliverable)
      log.warn({ recipient: name, leadId, error }, 'not deliverable')
    // If the alert reached no phone, send the first reminder early, because it looks up devices again.
    const alerts = undeliverable.filter(({ reason }) => reason === 'received' && wakesPhones)
    const leadIds = alerts.map(({ leadId }) => leadId)
    const hurry = { now: now(), isTold: wakesPhone }
    const questions = undeliverable.filter(
      ({ reason }) => reason === 'unresolved' && recipient.owner,
    )
    const follow = async () => {
      await hurryFirstReminders(db, leadIds, hurry)
      for (const { leadId } of questions) await repeatQuestion(db.kysely, leadId, now())
      if (undeliverable.length > 0) await cancelLostNotifications(db, hurry)
    }
    await keepTrying(follow, { pause, aborting })
    for (const { error } of outages)
      faults.report(`recipient ${name}`, { error }, `${name} does not accept leads; retrying`)
    for (const { leadId, error } of delayed)
      log.warn({ recipient: name, leadId, error }, 'not delivered; retrying')
  }
}

/** Returns how long the service asks all senders to wait. */
const computeRetryAfterMs = (results: readonly Result[]): number =>
  Math.max(0, ...results.map((result) => (result.ok ? 0 : (result.retryAfterMs ?? 0))))

export const wakesPhone = ({ recipient, state }: Told) =>
  findChannel(recipient)?.wakesPhones === true && ['waiting', 'asking', 'sent'].includes(state)
