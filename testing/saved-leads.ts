import { type CallPromise, computePromise, noPromise } from '#leads/deadline.ts'
import type { Lead } from '#leads/fields.ts'
import { type EventKind, newState } from '#leads/history.ts'
import { type BusinessHours, weekdays } from '#leads/hours.ts'
import type { StoredLead, Visit } from '#leads/lead.ts'
import { appendEvent, type NewEvent } from '#leads/store/append-event.ts'
import { saveSession } from '#leads/store/desk-access.ts'
import { serverEmail } from '#leads/store/live-sessions.ts'
import { type PushDevice, saveDevice } from '#leads/store/push-devices.ts'
import { addDetails } from '#leads/store/reading.ts'
import { type NewLead, saveLead } from '#leads/store/save-lead.ts'
import { searchLeads } from '#leads/store/search-leads.ts'
import type { Database } from '#leads/store/tables.ts'

export const alwaysOpen: BusinessHours = {
  timeZone: 'America/Chicago',
  open: 'always',
  closedDates: [],
  emergencies: 'always',
  promiseMinutes: 10,
}

/** Open from 7 AM to 6 PM every day. */
export const dayHours: BusinessHours = {
  ...alwaysOpen,
  open: Object.fromEntries(weekdays.map((day) => [day, ['7:00-18:00']])),
}

export const testCompany = { name: 'Northgate Roofing', phone: '(612) 555-0134' }

/** A promise of 10 minutes from this time. */
export const promiseFrom = (at: number): CallPromise => computePromise(at, '', alwaysOpen)

export const testTime = Date.parse('2026-11-15T12:00:00Z')

/** A lead with every field filled in, because leads/every-field.test.ts looks for each field in every output. */
export const jane: Lead = {
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '123 Main St, Springfield, IL 62701',
  serviceType: 'roof-repair',
}

let strangers = 0

/** Returns contact details that no other lead has, as from another homeowner. */
export function makeStranger(): Pick<Lead, 'phone' | 'email'> {
  strangers += 1
  return {
    phone: `(555) 200-${String(strangers).padStart(4, '0')}`,
    email: `stranger${strangers}@example.com`,
  }
}

export const storedJane: StoredLead = {
  ...jane,
  id: '00000000-0000-4000-8000-000000000001',
  receivedAt: testTime,
  ...promiseFrom(testTime),
  suspect: null,
  inBurst: 0,
  consent: null,
  source: null,
  ...newState,
}

type Changes = Partial<Omit<NewLead, 'lead' | 'visit'>> &
  Partial<Visit> & { at?: number; lead?: Partial<Lead> }

/** Stores a lead like the function does, at the given time. Returns its ID. */
export async function storeLead(
  db: Database,
  { at = testTime, lead, suspect = null, consent = null, source = null, ...changes }: Changes = {},
): Promise<string> {
  const saved = await saveLead(
    db,
    {
      lead: { ...jane, ...lead },
      visit: { suspect, consent, source },
      bodyHash: '',
      clientAddress: '',
      idempotencyKeys: [],
      channels: ['airtable', 'email'],
      ...(suspect === null ? promiseFrom(at) : noPromise),
      escalateAt: at + 240_000,
      ...changes,
    },
    { now: at, limitPerMinute: 0, makeId: () => crypto.randomUUID() },
  )
  if (saved.outcome !== 'saved') throw new Error(`The lead was not stored: ${saved.outcome}`)
  return saved.leadId
}

/** Returns the newest leads, with their events and deliveries. */
export const listLeads = async (db: Database, { limit }: { limit: number }) =>
  addDetails(db, await searchLeads(db, {}, { limit }))

/** Records what someone did with a lead, by default Sam on the desk. */
export function record(
  db: Database,
  leadId: string,
  kind: EventKind,
  { at = testTime, ...event }: Partial<NewEvent> = {},
) {
  const callAgainAt = kind === 'no-answer' ? at + 30 * 60_000 : null
  const fixed = { id: crypto.randomUUID(), at, kind, via: 'desk', person: 'Sam' } as const
  return appendEvent(
    db,
    leadId,
    { ...fixed, callAgainAt, ...event },
    { now: at, computeStartOverAt: () => at + 240_000 },
  )
}

/** Creates a push device that is notified of every lead. */
export const makePhone = (changes: Partial<PushDevice> = {}): PushDevice => ({
  id: '0a1b2c3d',
  sessionId: 'session',
  endpoint: `https://push.example/${changes.id ?? ''}`,
  p256dh: '',
  auth: '',
  person: 'Sam',
  name: 'Phone',
  schedule: 'always',
  createdAt: testTime,
  goneAt: null,
  shownAt: null,
  isSignedIn: true,
  email: null,
  ...changes,
})

/** The channels with pending deliveries. */
export async function listPendingChannels({ kysely }: Database): Promise<string[]> {
  const deliveries = kysely.selectFrom('deliveries').select('channel').distinct()
  const pending = await deliveries.where('state', '=', 'waiting').execute()
  return pending.map(({ channel }) => channel)
}

/** Saves a push device with its own session. */
export async function savePhone(
  db: Database,
  changes: Partial<PushDevice> = {},
  email = serverEmail,
): Promise<void> {
  const phone = makePhone(changes)
  const { sessionId: id, person, createdAt: seenAt } = phone
  const session = { id, email, person, device: 'Chrome on Android', seenAt }
  await saveSession(db, session, { tokenHash: id, replacedHash: undefined })
  await saveDevice(db, phone)
}
