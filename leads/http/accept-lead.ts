import type { LeadEvent } from '../channels/channel-type.ts'
import { computeNetwork } from '../client-address.ts'
import { computePromise, noPromise } from '../deadline.ts'
import type { BusinessHours } from '../hours.ts'
import { type FaultLog, type Log, nameError } from '../log.ts'
import { computeNetworkLimit } from '../store/limits.ts'
import { type DeliveryPlan, saveLead } from '../store/save-lead.ts'
import type { Database } from '../store/tables.ts'
import type { Timers } from '../timers.ts'
import { withTimeout } from '../with-timeout.ts'
import { createNetworkQueues } from './network-queue.ts'
import { hashLead, type SentLead } from './read-lead.ts'
import { type Refusal, refusals } from './refusals.ts'

export type AcceptOptions = {
  db: Database
  planDelivery: (lead: LeadEvent['lead']) => Promise<DeliveryPlan>
  hours: () => BusinessHours
  rateLimitPerMinute: number
  saveTimeoutMs?: number
  now: () => number
  timers: Timers
  makeId: () => string
  log: Log
  faults: FaultLog
  /** Starts due deliveries. */
  wake: () => void
}

type Client = { address: string; mayShareAddress: boolean }

// Respond before the form times out after 10 s.
export const defaultSaveTimeoutMs = 6_500

/** The lead is stored, and the company calls by this time. */
export type Acceptance = { callBy: number }

/** Returns a function that stores a lead, or returns why it was rejected. */
export function createAcceptLead(options: AcceptOptions) {
  const { db, now, log, faults, saveTimeoutMs = defaultSaveTimeoutMs } = options
  const limitPerMinute = options.rateLimitPerMinute
  const queues = createNetworkQueues(computeNetworkLimit(limitPerMinute))

  return async ({ lead, visit, keys }: SentLead, client: Client): Promise<Refusal | Acceptance> => {
    const receivedAt = now()
    const computeFrom = (at: number) => computePromise(at, lead.serviceType, options.hours())
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
          const plan = await options.planDelivery({ ...lead, ...visit, ...promise })
          const { makeId } = options
          return saveLead(db, { ...newLead, ...plan }, { now: receivedAt, limitPerMinute, makeId })
        }),
      options.timers,
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
      options.wake()
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
