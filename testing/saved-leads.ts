import type { Lead } from '../supabase/functions/submit-to-airtable/lead.ts'
import {
  type Database,
  type NewLead,
  saveLead,
} from '../supabase/functions/submit-to-airtable/store.ts'
import { testLead } from './app.ts'

export const testTime = Date.parse('2026-11-15T12:00:00Z')

/** Stores a lead as the function would, at a time to choose. Returns its id. */
export async function storeLead(
  db: Database,
  {
    at = testTime,
    lead,
    source = null,
    ...changes
  }: Partial<Omit<NewLead, 'lead'>> & {
    at?: number
    lead?: Partial<Lead>
    source?: string | null
  } = {},
): Promise<string> {
  const saved = await saveLead(
    db,
    {
      lead: { ...testLead, serviceType: 'roof-repair', ...lead },
      details: { suspect: null, consent: null, source },
      bodyHash: '',
      clientAddress: '',
      idempotencyKeys: [],
      channels: ['airtable', 'email'],
      escalateAt: at + 240_000,
      ...changes,
    },
    { now: at, limitPerMinute: 0 },
  )
  if (saved.outcome !== 'saved') throw new Error(`The lead was not stored: ${saved.outcome}`)
  return saved.leadId
}
