import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { createDir } from '#testing/database.ts'
import { alwaysOpen, testTime as now } from '#testing/saved-leads.ts'
import { checkLocally, type LocalContext } from './checks.ts'

const content = {
  hours: alwaysOpen,
  company: { name: 'Northgate Roofing', phone: '(612) 555-7810' },
  head: { shareLines: [] },
  form: { consent: { version: '2026-11', text: 'We may call.' } },
}

function findAll(changes: Partial<LocalContext> = {}) {
  const raw = { PUBLIC_URL: 'https://a.test', ...changes.raw }
  const facts = {
    env: readEnv(raw),
    now,
    root: '/nowhere',
    content,
    leadsAre: 'here' as const,
  }
  return [...checkLocally({ ...facts, sends: false, ...changes, raw })]
}
const find = (id: string, changes?: Partial<LocalContext>) =>
  findAll(changes).find((finding) => finding.id === id)

test('finds nothing when everything is set up', () => {
  expect(findAll()).toEqual([])
})

test('reports a missing .env, and one that other users can read', () => {
  const root = createDir()
  const check = (raw = {}) => find('env-file', { root, raw: { PUBLIC_URL: '', ...raw } })
  expect(check()).toMatchObject({ next: 'install -m 600 .env.example .env' })
  expect(check({ PUBLIC_URL: 'https://a.test' })).toBeUndefined()
  const file = join(root, '.env')
  writeFileSync(file, 'PORT=3000\n')
  chmodSync(file, 0o644)
  expect(check()).toMatchObject({ next: 'chmod o= .env' })
  // The site's group may read a file that root wrote.
  chmodSync(file, 0o640)
  expect(check()).toBeUndefined()
})

test('reports a .env that the user cannot read', () => {
  const root = createDir()
  chmodSync(root, 0o755)
  writeFileSync(join(root, '.env'), 'PORT=3000\n', { mode: 0o000 })
  const script = `import { findEnvFileProblem } from '${import.meta.dirname}/checks.ts'
    process.stdout.write(findEnvFileProblem('${root}/.env', {}).text)`
  // Root can read every file.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const output = execFileSync(process.execPath, ['--eval', script], nobody)
  expect(String(output)).toBe('You do not have permission to read .env.')
})

test.each([
  ['(555) 234-5678', true],
  ['(612) 555-0199', true],
  ['+1 612-555-0199', true],
  ['(612) 555-7810', false],
  ['(612) 234-0155', false],
])('reports a placeholder phone number: %s %s', (phone, isFound) => {
  const company = { ...content.company, phone }
  const found = find('phone-placeholder', { content: { ...content, company } })
  expect(Boolean(found)).toBe(isFound)
})

test('asks for a new consent version after its text has changed', () => {
  const check = (storedConsent?: string) => find('consent-changed', { storedConsent })
  expect(check()).toBeUndefined()
  expect(check('We may call.')).toBeUndefined()
  expect(check('Ridgeline may call.')).toMatchObject({
    text: expect.stringContaining('2026-11'),
    next: expect.stringContaining('form.consent.version'),
  })
})

test('lists text that promises more than limited hours allow', () => {
  // With limited hours, the page replaces this label, so doctor does not list it.
  const header = { callLabel: '24/7 Service' }
  const about = { text: '24/7 Service' }
  const form = { ...content.form, heading: 'We call within 10 minutes.' }
  const emergency = {
    text: 'A real person answers 24/7.',
    claim: 'Within 10 minutes.',
    notUrgent: 'Within 10 minutes.',
    limitedHours: { notUrgent: 'Within 10 minutes of our opening.' },
  }
  const always = { ...content, header, about, form, emergency }
  expect(find('wording-beyond-hours', { content: always })).toBeUndefined()
  const hours = { ...alwaysOpen, open: { Mon: ['7:00-18:00'] } }
  expect(find('wording-beyond-hours', { content: { ...always, hours } })).toMatchObject({
    text: expect.stringContaining(' 10 minutes: about.text, emergency.claim.'),
  })
  const whenOpen = { ...always, hours: { ...hours, emergencies: 'when open' as const } }
  expect(find('wording-beyond-hours', { content: whenOpen })).toMatchObject({
    text: expect.stringContaining(' 10 minutes: about.text, emergency.text, emergency.claim.'),
  })
})

test('suggests confirmation emails if email is set up, unless they are turned off', () => {
  const raw = { SMTP_URL: 'smtps://mail.test', ALERT_EMAIL_FROM: 'site@a.test' }
  const check = (changes: Record<string, string> = {}) => {
    const given = { ...raw, ...changes }
    return find('confirmation-off', { env: readEnv(given), raw: given })
  }
  expect(check()).toMatchObject({ next: expect.stringContaining('CONFIRMATION_EMAIL=on') })
  for (const CONFIRMATION_EMAIL of ['on', 'off'])
    expect(check({ CONFIRMATION_EMAIL })).toBeUndefined()
})

test('lists what doctor cannot check', () => {
  expect(find('leads-elsewhere', { leadsAre: 'elsewhere' })).toBeDefined()
  expect(find('postgres-backup', { leadsAre: 'elsewhere' })).toBeDefined()
  const raw = { ALERT_WEBHOOK_URL: 'https://h.test' }
  expect(find('alerts-untested', { env: readEnv(raw) })).toBeDefined()
  expect(find('alerts-untested', { env: readEnv(raw), sends: true })).toBeUndefined()
})
