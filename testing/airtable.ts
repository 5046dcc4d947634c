import { onTestFinished } from 'vitest'
import { type FakeOptions, leadColumns, startFakeAirtable } from '#fakes/airtable.ts'
import type { AirtableDeps } from '#leads/channels/airtable/client.ts'
import { openBatch, senders } from '#leads/channels/airtable/send.ts'
import type { StoredLead } from '#leads/lead.ts'
import { systemTimers } from '#leads/timers.ts'
import { promiseFrom, storedJane } from './saved-leads.ts'

type Sends = { reason?: keyof typeof senders }

/** Starts a fake Airtable whose clock moves only when the sender pauses. */
export async function startAirtable(options: FakeOptions = {}) {
  const clock = { at: Date.parse('2026-11-15T12:00:00Z') }
  const fake = await startFakeAirtable({ now: () => clock.at, ...options })
  onTestFinished(() => fake.close())
  const deps: AirtableDeps = {
    fetch,
    timers: systemTimers,
    pause: async (ms) => {
      clock.at += ms
    },
  }
  return {
    clock,
    fake,
    settings: fake.airtable,
    deps,
    send: (
      leads: readonly StoredLead[],
      { reason = 'received', ...changed }: Partial<AirtableDeps> & Sends = {},
    ) => senders[reason](leads, openBatch(fake.airtable, { ...deps, ...changed })),
    rowOf: ({ id }: StoredLead) =>
      fake.records.find(({ fields }) => fields['Lead ID'] === id)?.fields,
  }
}

export const columnsWithout = (...names: string[]): NonNullable<FakeOptions['columns']> =>
  Object.fromEntries(Object.entries(leadColumns).filter(([name]) => !names.includes(name)))

let lastLead = 0
export const makeLead = (changed: Partial<StoredLead> = {}): StoredLead => ({
  ...storedJane,
  id: `00000000-0000-4000-8000-${String(++lastLead).padStart(12, '0')}`,
  name: 'Zoë “Ridge” Müller-李 🏠',
  email: 'zoe@example.com',
  serviceType: 'emergency',
  receivedAt: Date.parse('2026-11-15T11:59:59Z'),
  ...promiseFrom(Date.parse('2026-11-15T11:59:59Z')),
  consent: '2026-11',
  source: 'utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs',
  ...changed,
})
export const makeLeads = (count: number) => Array.from({ length: count }, () => makeLead())
