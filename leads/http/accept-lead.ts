import { findNetwork } from '../client-address.ts'
import type { Lead, LeadDetails } from '../lead.ts'
import { type FaultLog, type Log, nameError } from '../log.ts'
import { giveUpAfter } from '../store/give-up-after.ts'
import { saveLead } from '../store/save-lead.ts'
import type { Database } from '../store/tables.ts'
import { createLeadLine } from './lead-line.ts'
import { hashLead, type SentLead } from './read-lead.ts'
import { type Refusal, refusals } from './refusals.ts'

export type AcceptOptions = {
  db: Database
  /** Where a new lead goes, and when staff are first reminded of it. */
  planDelivery: (
    about: LeadDetails & Pick<Lead, 'serviceType'>,
    now: number,
  ) => Promise<{ channels: readonly string[]; escalateAt?: number | undefined }>
  rateLimitPerMinute: number
  /** When to give up storing a lead, and tell. */
  longestSaveMs?: number
  now: () => number
  log: Log
  faults: FaultLog
  /** Deliveries may be due. */
  wake: () => void
}

// The form gives up after 10 s; a visitor is told before, and by us.
export const defaultSaveMs = 6_500

/** Stores what a client sent, or says why not. */
export function createAcceptLead(options: AcceptOptions) {
  const { db, now, log, faults, longestSaveMs = defaultSaveMs } = options
  const limitPerMinute = options.rateLimitPerMinute
  const line = createLeadLine()

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
    }
    const network = limitPerMinute > 0 ? findNetwork(client) : undefined
    let hasBegun = false
    const saved = await giveUpAfter(longestSaveMs, (isLate) =>
      line.save(network, async () => {
        if (isLate()) return undefined
        hasBegun = true
        const about = { ...details, serviceType: lead.serviceType }
        const plan = await options.planDelivery(about, receivedAt)
        return saveLead(db, { ...newLead, ...plan }, { now: receivedAt, limitPerMinute })
      }),
    ).catch((error) => {
      // A lead that never had a turn says nothing about the database.
      if (!hasBegun) return 'overloaded' as const
      reportWriteFault(faults, error)
    })
    if (!saved) return refusals.unavailable
    if (saved === 'line too long') return refusals.tooMany
    if (saved === 'overloaded') {
      faults.report('overload', {}, 'more leads at once than can be stored: some are answered 503')
      return refusals.overloaded
    }
    if (line.isEmpty()) faults.clear('overload', 'all leads are taken again')
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
