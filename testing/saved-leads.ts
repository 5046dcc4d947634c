import { rowRecipients } from '#leads/channels/channels.ts'
import { type CallPromise, computePromise, noPromise } from '#leads/deadline.ts'
import type { Lead } from '#leads/fields.ts'
import { type EventKind, events } from '#leads/history.ts'
import { type BusinessHours, weekdays } from '#leads/hours.ts'
import type { StoredLead, Visit } from '#leads/lead.ts'
import { newState, plansCall } from '#leads/lead-state.ts'
import { appendEvent, type NewEvent } from '#leads/store/append-event.ts'
import { addDetails, searchLeads } from '#leads/store/find-leads.ts'
import { type PushDevice, saveDevice } from '#leads/store/push-devices.ts'
import { type NewLead, saveLead } from '#leads/store/save-lead.ts'
import { nameServerPerson, saveSession } from '#leads/store/sign-in.ts'
import type { Database } from '#leads/store/tables.ts'
import { dayMs, hourMs, minuteMs } from '#leads/time-units.ts'

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

/** Returns contact details that no other lead has, as if from another homeowner. */
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

/** Stores a lead as the site does, at the given time. Returns its ID. */
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
      recipients: ['airtable', 'email'],
      ...(suspect === null ? promiseFrom(at) : noPromise),
      stepAt: at + 240_000,
      ...changes,
    },
    { now: at, limitPerMinute: 0, makeId: () => crypto.randomUUID() },
  )
  if (saved.outcome !== 'saved') throw new Error(`The lead was not stored: ${saved.outcome}`)
  return saved.leadId
}

export async function countLeads({ kysely }: Database): Promise<number> {
  return (await kysely.selectFrom('leads').select('id').execute()).length
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
  const callAgainAt = plansCall(kind) ? at + 30 * minuteMs : null
  const fixed = { id: crypto.randomUUID(), at, kind, via: 'desk', person: 'Sam' } as const
  return appendEvent(
    db,
    leadId,
    { ...fixed, callAgainAt, ...event },
    { rowRecipients, now: at, computeStartOverAt: () => at + 240_000 },
  )
}

/** Returns what the desk sends with an event of this kind. */
export function makeInput(
  kind: EventKind,
  at: number,
): { text?: string; at?: number; shown?: Partial<Lead>; fields?: Partial<Lead> } {
  switch (events[kind].takes) {
    case 'text':
      return { text: 'Gate code 12' }
    case 'time':
      return { at: at + 2 * hourMs }
    case 'date':
      return { text: new Date(at + 2 * dayMs).toISOString().slice(0, 10) }
    case 'amount':
      return { text: '12500' }
    case 'reason':
      return { text: 'too-expensive' }
    case 'fields':
      return { shown: { address: jane.address }, fields: { address: '5 Elm St, Edina' } }
    case undefined:
      return {}
  }
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

/** Returns the recipients with pending deliveries. */
export async function listPendingRecipients({ kysely }: Database): Promise<string[]> {
  const deliveries = kysely.selectFrom('deliveries').select('recipient').distinct()
  const pending = await deliveries
    .where('state', '=', 'waiting')
    .where('isMessage', '=', 1)
    .execute()
  return pending.map(({ recipient }) => recipient)
}

/** Saves a push device with a separate session. */
export async function savePhone(
  db: Database,
  changes: Partial<PushDevice> = {},
  email = nameServerPerson('Sam'),
): Promise<void> {
  const phone = makePhone(changes)
  const { sessionId: id, person, createdAt: seenAt } = phone
  const session = { id, email, person, device: 'Chrome on Android', seenAt }
  await saveSession(db, session, { tokenHash: id, replacedHash: undefined })
  await saveDevice(db, phone)
}
