import { computeNetwork } from '../client-address.ts'
import { computePromise, noPromise } from '../deadline.ts'
import { type FaultLog, nameError } from '../log.ts'
import { computeNetworkLimit } from '../store/limits.ts'
import { saveLead } from '../store/save-lead.ts'
import { withTimeout } from '../with-timeout.ts'
import type { AppContext } from './app-context.ts'
import { createNetworkQueues } from './network-queue.ts'
import { hashLead, type SentLead } from './read-lead.ts'
import { type Refusal, refusals } from './refusals.ts'

type Client = { address: string; mayShareAddress: boolean }

// Respond before the form times out after 10 s.
export const defaultSaveTimeoutMs = 6_500

/** The lead is stored, and the company calls by this time. */
type Acceptance = { callBy: number }

/** Returns a function that stores a lead, or returns why it was rejected. */
export function createAcceptLead(context: AppContext) {
  const { db, now, log, faults, saveTimeoutMs = defaultSaveTimeoutMs } = context
  const limitPerMinute = context.env.rateLimitPerMinute
  const queues = createNetworkQueues(computeNetworkLimit(limitPerMinute))

  return async ({ lead, visit, keys }: SentLead, client: Client): Promise<Refusal | Acceptance> => {
    const receivedAt = now()
    const computeFrom = (at: number) => computePromise(at, lead.serviceType, context.hours())
    const promise = visit.suspect === null ? computeFrom(receivedAt) : noPromise
    const newLead = {
      lead,
      visit,
      bodyHash: hashLead(lead),
      clientAddress: client.address,
      mayShareAddress: client.mayShareAddress,
      idempotencyKeys: keys,
      ...promise,
    }
    const network = limitPerMinute > 0 ? computeNetwork(client.address) : undefined
    let hasStarted = false
    const saved = await withTimeout(
      saveTimeoutMs,
      (isLate) =>
        queues.save(network, async () => {
          if (isLate()) return undefined
          hasStarted = true
          const plan = await context.planDelivery({ ...lead, ...visit, ...promise })
          const { makeId } = context
          return saveLead(db, { ...newLead, ...plan }, { now: receivedAt, limitPerMinute, makeId })
        }),
      context.timers,
    ).catch((error) => {
      // If a lead timed out in the queue, the database has not necessarily failed.
      if (!hasStarted) return 'overloaded' as const
      reportWriteFault(faults, error)
    })
    if (!saved) return refusals.unavailable
    if (saved === 'queue full') return refusals.tooMany
    if (saved === 'overloaded') {
      faults.report('overload', {}, 'too many leads at the same time: rejecting some with 503')
      return refusals.overloaded
    }
    if (queues.isEmpty()) faults.clear('overload', 'accepting all leads again')
    if (saved.outcome === 'conflict') return refusals.keyReused
    if (saved.outcome === 'limited') {
      const retryAfterSeconds = Math.max(1, Math.ceil(saved.retryAfterMs / 1000))
      return { ...refusals.tooMany, retryAfterSeconds }
    }
    clearWriteFault(faults)
    if (saved.outcome === 'saved') {
      log.info({ leadId: saved.leadId }, 'lead stored')
      context.wake()
    }
    const first = saved.outcome === 'repeated' ? saved : { receivedAt, ...promise }
    // Return a time for suspected spam, too, so that bots don't learn that they were detected.
    return { callBy: first.deadlineAt ?? computeFrom(first.receivedAt).deadlineAt }
  }
}

export const reportWriteFault = (faults: FaultLog, error: unknown) =>
  faults.report('database', { error: nameError(error) }, 'cannot store leads: returning 503')

export const clearWriteFault = (faults: FaultLog) =>
  faults.clear('database', 'leads can be stored again')
