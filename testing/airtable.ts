import { onTestFinished } from 'vitest'
import { leadColumns, type StandInOptions, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import type { AirtableDeps } from '#leads/airtable/client.ts'
import { sendToAirtable } from '#leads/airtable/send.ts'
import type { StoredLead } from '#leads/lead.ts'
import { storedJane } from './saved-leads.ts'

/** A stand-in whose clock moves only when the sender pauses. */
export async function startAirtable(options: StandInOptions = {}) {
  const clock = { at: Date.parse('2026-11-15T12:00:00Z') }
  const standIn = await startAirtableStandIn({ now: () => clock.at, ...options })
  onTestFinished(() => standIn.close())
  const deps: AirtableDeps = {
    fetch,
    pause: async (ms) => {
      clock.at += ms
    },
  }
  return {
    clock,
    standIn,
    settings: standIn.airtable,
    deps,
    send: (leads: readonly StoredLead[], changed: Partial<AirtableDeps> = {}) =>
      sendToAirtable(leads, standIn.airtable, { ...deps, ...changed }),
    rowOf: ({ id }: StoredLead) =>
      standIn.records.find(({ fields }) => fields['Lead ID'] === id)?.fields,
  }
}

export const columnsWithout = (...names: string[]): NonNullable<StandInOptions['columns']> =>
  Object.fromEntries(Object.entries(leadColumns).filter(([name]) => !names.includes(name)))

let lastLead = 0
export const makeLead = (changed: Partial<StoredLead> = {}): StoredLead => ({
  ...storedJane,
  id: `00000000-0000-4000-8000-${String(++lastLead).padStart(12, '0')}`,
  name: 'Zoë “Ridge” Müller-李 🏠',
  email: 'zoe@example.com',
  serviceType: 'emergency',
  receivedAt: Date.parse('2026-11-15T11:59:59Z'),
  consent: '2026-11',
  source: 'utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs',
  ...changed,
})
export const makeLeads = (count: number) => Array.from({ length: count }, () => makeLead())
