import type { LeadCard } from '#leads/reports/describe.ts'
import type { Card } from './cards.ts'

// Leads from lists other than Today. When someone opens one, the desk shows this card until the whole lead is loaded.
const loaded = new Map<string, LeadCard>()

export function keepLoaded(leads: readonly LeadCard[]) {
  for (const lead of leads) loaded.set(lead.id, lead)
}

export function findLoaded(leadId: string): Card | undefined {
  const lead = loaded.get(leadId)
  return lead && { lead, requests: 1 }
}

/** Call this on sign-out, because homeowners' data must not outlive the session. */
export const forgetLoaded = () => loaded.clear()
