import { findNetwork } from '../client-address.ts'
import { findDeadline } from '../deadline.ts'
import type { Lead } from '../fields.ts'
import { type FaultLog, type Log, nameError } from '../log.ts'
import { saveLead } from '../store/save-lead.ts'
import type { Database } from '../store/tables.ts'
import { withTimeout } from '../with-timeout.ts'
import { createNetworkQueues } from './network-queue.ts'
import { hashLead, type SentLead } from './read-lead.ts'
import { type Refusal, refusals } from './refusals.ts'

export type AcceptOptions = {
  db: Database
  /** Where a new lead goes, and when staff are first reminded of it. */
  planDelivery: (
    lead: Lead & { deadlineAt: number | null },
  ) => Promise<{ channels: readonly string[]; escalateAt?: number | undefined }>
  rateLimitPerMinute: number
  /** The time after which storing a lead fails. */
  longestSaveMs?: number
  now: () => number
  log: Log
  faults: FaultLog
  /** Deliveries may be due. */
  wake: () => void
}

// Answer before the form's own timeout of 10 s.
export const defaultSaveMs = 6_500

/** Stores a lead, or returns the refusal. */
export function createAcceptLead(options: AcceptOptions) {
  const { db, now, log, faults, longestSaveMs = defaultSaveMs } = options
  const limitPerMinute = options.rateLimitPerMinute
  const queues = createNetworkQueues()

  return async (
    { lead, details, keys }: SentLead,
    client: string,
  ): Promise<Refusal | undefined> => {
    const receivedAt = now()
    const newLead = {
      lead,
      details,
      bodyHash: hashLead(lead),
      clientAddress: client,
      idempotencyKeys: keys,
      // No call is promised to suspected spam.
      deadlineAt: details.suspect === null ? findDeadline(receivedAt) : null,
    }
    const network = limitPerMinute > 0 ? findNetwork(client) : undefined
    let hasBegun = false
    const saved = await withTimeout(longestSaveMs, (isLate) =>
      queues.save(network, async () => {
        if (isLate()) return undefined
        hasBegun = true
        const plan = await options.planDelivery({ ...lead, deadlineAt: newLead.deadlineAt })
        return saveLead(db, { ...newLead, ...plan }, { now: receivedAt, limitPerMinute })
      }),
    ).catch((error) => {
      // A lead that never left the queue is not a database fault.
      if (!hasBegun) return 'overloaded' as const
      reportWriteFault(faults, error)
    })
    if (!saved) return refusals.unavailable
    if (saved === 'queue full') return refusals.tooMany
    if (saved === 'overloaded') {
      faults.report('overload', {}, 'more leads at once than can be stored: some are answered 503')
      return refusals.overloaded
    }
    if (queues.isEmpty()) faults.clear('overload', 'all leads are taken again')
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
  }
}

export const reportWriteFault = (faults: FaultLog, error: unknown) =>
  faults.report('database', { error: nameError(error) }, 'no lead can be stored: the answer is 503')

export const clearWriteFault = (faults: FaultLog) =>
  faults.clear('database', 'leads can be stored again')
