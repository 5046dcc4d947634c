import { expect, it } from 'vitest'
import { alwaysOpen, dayHours, makePhone, testTime as now } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { channels } from '../channels/channels.ts'
import type { BusinessHours } from '../hours.ts'
import { readEnv } from '../settings.ts'
import type { PushDevice } from '../store/push-devices.ts'
import { hourMs } from '../time-units.ts'
import type { DatabaseFacts, HealthContext, MachineFacts, Place } from './check.ts'
import { listProblems } from './check.ts'
import { healthChecks, limits } from './checks.ts'

const complete = {
  AIRTABLE_TOKEN: 'pat.x',
  AIRTABLE_BASE_ID: 'app',
  SMTP_URL: 'smtp://localhost',
  ALERT_EMAIL_FROM: 'site@example.com',
  ALERT_EMAIL_TO: 'a@example.com',
  ALERT_WEBHOOK_URL: 'https://hook.example',
}
const env = makeSettings({ ...complete, DESK_URL: 'https://desk.example.com' })
const database: DatabaseFacts = {
  pending: new Map(),
  undelivered: new Map(),
  devices: [makePhone()],
  silentDevices: [],
  limitedAddresses: [],
  isErasing: false,
}
const storage = { isTemporary: false, freeBytes: 80e9, newestBackupAt: now - hourMs }

const machine: MachineFacts = { storage, samples: [] }

const find = (place: Place, changes: Partial<HealthContext>) =>
  listProblems(healthChecks, place, {
    env,
    hours: alwaysOpen,
    now,
    isPublic: true,
    database,
    machine,
    ...changes,
  })
const listIds = async (place: Place, changes: Partial<HealthContext> = {}) =>
  (await find(place, changes)).map(({ id }) => id)

const withStorage = (changes: Partial<typeof storage>) => ({
  machine: { ...machine, storage: { ...storage, ...changes } },
})
const withDatabase = (changes: Partial<DatabaseFacts>) => ({
  database: { ...database, ...changes },
})
const withPending = (kind: string, ageMs: number, lastError: string | null = null) =>
  withDatabase({ pending: new Map([[kind, { leads: 2, oldestAt: now - ageMs, lastError }]]) })

/** For each check, an input for which it finds a problem. */
const problems: Record<string, Partial<HealthContext>> = {
  'database-file-gone': { isFileGone: true },
  'database-fault': { databaseFault: 'ECONNREFUSED', database: undefined },
  'erase-unfinished': withDatabase({ isErasing: true }),
  'storage-not-durable': withStorage({ isTemporary: true }),
  'disk-nearly-full': withStorage({ freeBytes: limits.freeDiskBytes - 1 }),
  'backup-missing': withStorage({ newestBackupAt: now - limits.backupAgeMs - 1 }),
  'airtable-not-set-up': {
    env: makeSettings({ ...complete, AIRTABLE_TOKEN: '', AIRTABLE_BASE_ID: '' }),
  },
  'no-alerts': withDatabase({ devices: [] }),
  ...Object.fromEntries(
    channels.map(({ kind }) => [
      `${kind}-incomplete`,
      { env: { ...env, incomplete: { [kind]: ['A_VARIABLE'] } } },
    ]),
  ),
  ...Object.fromEntries(
    channels.map(({ kind }) => [`${kind}-late`, withPending(kind, limits.otherLateMs + 1)]),
  ),
  'sms-undelivered': withDatabase({
    undelivered: new Map([['sms', { leads: 2, lastError: 'Not registered.' }]]),
  }),
  'mail-failing': withDatabase({
    mailFault: { at: now, error: 'The mail server couldn’t be reached.', isLogin: true },
  }),
  'push-device-gone': withDatabase({ devices: [makePhone({ goneAt: now })] }),
  'push-device-silent': withDatabase({ silentDevices: [makePhone()] }),
  'sign-in-limit': withDatabase({ limitedAddresses: ['a@example.com', 'b@example.com'] }),
  'confirmation-limit': withDatabase({
    confirmationLimit: { kind: 'network', emails: 20, until: now + 12 * hourMs },
  }),
  'unknown-variable': { env: makeSettings({ ...complete, SMPT_URL: 'smtp://localhost' }) },
  'public-url-missing': { env: readEnv(complete), isPublic: false },
  'desk-off': { env: { ...env, desk: undefined } },
  'desk-url-missing': {
    env: readEnv({ ...complete, DESK_URL: 'http://203.0.113.7:3001' }),
  },
  'page-not-shown': { pageFault: 'Headline is empty. Fill it in.' },
  'page-damaged': { damagedPages: ['the draft', 'version 3'] },
  'page-differs': { pageDiffers: true },
  'late-reminders': { env: { ...env, escalateAfterMinutes: [4, 10] } },
  'no-answer-links': {
    env: readEnv({ ...complete, SUPABASE_DB_URL: 'postgres://a@b/c' }),
  },
  'sample-content': { machine: { ...machine, samples: ['about.award', 'testimonials.reviews.0'] } },
}

it('finds no problem in a complete setup', async () => {
  for (const place of ['healthz', 'desk', 'start', 'doctor'] as const)
    expect(await listIds(place)).toEqual([])
})

it('has an example of every check', () => {
  expect(Object.keys(problems)).toEqual(healthChecks.map(({ id }) => id))
})

it.each(healthChecks)('reports and explains $id where it runs', async ({ id, runsIn }) => {
  for (const place of ['healthz', 'desk', 'start', 'doctor'] as const) {
    const found = (await find(place, problems[id] ?? {})).find((problem) => problem.id === id)
    expect(Boolean(found)).toBe(runsIn.some((one) => one === place))
    if (!found) continue
    expect(found.text).toMatch(/[.?]$/)
    expect(found.next).toBeTruthy()
    if (place !== 'desk') continue
    const { forOwner: text = '', action } = found
    expect(text).toMatch(/\.$/)
    // The owner sees a button or a next step, and no variables or commands.
    expect(text).not.toMatch(/[A-Z]{2,}_[A-Z]|npm run|\.env|content\.ts/)
    expect(action || /Ask the person|Look for/i.test(text)).toBeTruthy()
  }
})

it('reports nothing up to each limit', async () => {
  const changes = [
    withStorage({ freeBytes: limits.freeDiskBytes, newestBackupAt: now - limits.backupAgeMs }),
    withPending('email', limits.alertLateMs),
    withPending('airtable', limits.otherLateMs),
  ]
  for (const change of changes) expect(await listIds('doctor', change)).toEqual([])
})

const sms = {
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 't',
  TWILIO_FROM: '+15550001111',
  ALERT_SMS_TO: '+15550002222',
}
const bare = { AIRTABLE_TOKEN: 'pat.x', AIRTABLE_BASE_ID: 'app' }
const whenOpen = { ...dayHours, emergencies: 'when open' as const }

const ever = 'Nobody gets alerts about new leads.'
const atNight = 'No phone gets alerts. Leads that come in at night may wait until morning.'
const whileClosed = 'No phone gets alerts. Emergencies may wait until you open.'

it.each<[string, Record<string, string>, Partial<PushDevice>[], BusinessHours, string | undefined]>(
  [
    ['nothing', bare, [], dayHours, ever],
    ['a phone that is off', bare, [{ schedule: 'off' }], dayHours, ever],
    ['a phone that is gone', bare, [{ goneAt: now }], alwaysOpen, ever],
    ['a phone that is on', bare, [{}], alwaysOpen, undefined],
    ['a phone in business hours', bare, [{ schedule: 'business-hours' }], dayHours, undefined],
    ['texts', { ...bare, ...sms }, [], dayHours, undefined],
    ['email, never closed', complete, [], alwaysOpen, atNight],
    ['email and a phone that is off', complete, [{ schedule: 'off' }], alwaysOpen, atNight],
    ['email, emergencies at night', complete, [], dayHours, whileClosed],
    ['email, no calls at night', complete, [], whenOpen, undefined],
    ['email and texts', { ...complete, ...sms }, [], alwaysOpen, undefined],
  ],
)('warns if a lead would alert nobody: %s', async (_, given, phones, hours, text) => {
  const settings = makeSettings(given)
  const devices = phones.map((changes) => makePhone(changes))
  // The check warns not only at night, but also during the day.
  for (const at of [now, now + 6 * hourMs]) {
    const facts = { env: settings, hours, now: at, ...withDatabase({ devices }) }
    const found = (await find('desk', facts)).find(({ id }) => id === 'no-alerts')
    expect(found?.forOwner).toBe(text)
    expect((await listIds('healthz', facts)).includes('no-alerts')).toBe(text !== undefined)
  }
})

it.each<[string, Record<string, string>, boolean]>([
  ['on a laptop', {}, false],
  [
    'behind a proxy',
    { DESK_URL: 'http://desk.localhost', TRUSTED_PROXIES: '1', HOST: '::1' },
    false,
  ],
  ['with https', { DESK_URL: 'https://desk.example.com', DESK_HOST: '0.0.0.0' }, false],
  ['on a public address', { DESK_URL: 'http://desk.example.com' }, true],
  ['that listens on all addresses', { DESK_HOST: '0.0.0.0' }, true],
])('reports a desk without encryption at server start: %s', async (_, variables, isFound) => {
  const given = { ...complete, PUBLIC_URL: 'http://localhost:3000', ...variables }
  const ids = await listIds('start', { env: readEnv(given), isPublic: false })
  expect(ids).toEqual(isFound ? ['desk-url-missing'] : [])
  // Doctor assumes a public site, which needs https.
  const isHttps = variables.DESK_URL?.startsWith('https:')
  const doctorIds = await listIds('doctor', { env: readEnv(given) })
  expect(doctorIds.includes('desk-url-missing')).toBe(!isHttps)
})

it('requires durable storage, backups, and real content only on a public site', async () => {
  const laptop: MachineFacts = {
    storage: { ...storage, isTemporary: true, newestBackupAt: undefined },
    samples: ['company'],
  }
  const found = ['storage-not-durable', 'backup-missing', 'sample-content']
  expect(await listIds('desk', { machine: laptop })).toEqual(found)
  expect(await listIds('desk', { machine: laptop, isPublic: false })).toEqual([])
})
