import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import {
  checkEnvFile,
  checkKeys,
  checkPromise,
  checkProxies,
  checkPublicUrl,
  type Given,
} from './settings.ts'

const email = {
  SMTP_URL: 'smtps://mail.test',
  ALERT_EMAIL_FROM: 'a@b.test',
  ALERT_EMAIL_TO: 'c@b.test',
}
const look = (check: (env: ReturnType<typeof readEnv>, given: Given) => unknown, given: Given) =>
  check(readEnv(given), given)

test('.env is to be made, and to be closed to others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, '.env')
  expect(checkEnvFile(file, {})).toMatchObject({
    state: 'to do',
    next: 'install -m 600 .env.example .env',
  })
  expect(checkEnvFile(file, { PUBLIC_URL: 'https://a.test' })).toMatchObject({ state: 'ok' })
  writeFileSync(file, 'PORT=3000\n')
  chmodSync(file, 0o644)
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'to do', next: 'chmod o= .env' })
  // The site's own user may read what root has written.
  chmodSync(file, 0o640)
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'ok' })
})

test('.env that one may not read is another user’s, not fine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const file = join(folder, '.env')
  writeFileSync(file, 'PORT=3000\n', { mode: 0o000 })
  const settings = JSON.stringify(join(import.meta.dirname, 'settings.ts'))
  const look = `import { checkEnvFile } from ${settings}
    process.stdout.write(JSON.stringify(checkEnvFile(${JSON.stringify(file)}, {})))`
  // Root may read everything.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const args = ['--input-type=module', '--eval', look]
  const said = execFileSync(process.execPath, args, { ...nobody, encoding: 'utf8' })
  expect(JSON.parse(said)).toMatchObject({ state: 'to do', says: 'You may not read .env.' })
})

test.each([
  [undefined, 'to do'],
  ['http://www.roofing.test', 'to do'],
  ['https://www.roofing.test', 'ok'],
])('PUBLIC_URL %s: %s', (PUBLIC_URL, state) => {
  expect(look(checkPublicUrl, { PUBLIC_URL })).toMatchObject({ state })
})

test.each([
  ['behind TLS without trusted proxies', { PUBLIC_URL: 'https://a.test' }, ['to do']],
  ['and none', { PUBLIC_URL: 'https://a.test', TRUSTED_PROXIES: '0' }, ['to do']],
  ['and one', { PUBLIC_URL: 'https://a.test', TRUSTED_PROXIES: '1' }, ['ok']],
  ['on a laptop', {}, []],
  [
    'with the backend elsewhere',
    { PUBLIC_URL: 'https://a.test', VITE_SUPABASE_URL: 'https://b.test' },
    [],
  ],
])('proxies, %s', (_, given, states) => {
  expect(look(checkProxies, given)).toMatchObject(states.map((state) => ({ state })))
})

test.each([
  ['the default on both sides is fine', {}, 'ok'],
  ['one key on both sides', { SUPABASE_ANON_KEY: 'one' }, 'ok'],
  ['another key in the page', { SUPABASE_ANON_KEY: 'one', VITE_SUPABASE_ANON_KEY: 'two' }, 'to do'],
  ['the default key to another backend', { VITE_SUPABASE_URL: 'https://b.test' }, 'to do'],
  [
    'a key of its own to another backend',
    { VITE_SUPABASE_URL: 'https://b.test', VITE_SUPABASE_ANON_KEY: 'sb_publishable_1' },
    'ok',
  ],
])('keys: %s', (_, given, state) => {
  expect(look(checkKeys, given)).toMatchObject({ state })
})

test.each([
  ['4,8', 'ok'],
  ['7', 'ok'],
  ['9', 'to do'],
  // None is the default.
  [',', 'ok'],
])('reminders after %s minutes: %s', (ESCALATE_AFTER_MINUTES, state) => {
  const [reminders] = look(checkPromise, { ...email, ESCALATE_AFTER_MINUTES }) as object[]
  expect(reminders).toMatchObject({ about: 'reminders', state })
})

test('a receiver of reminders without a channel hears nothing, and doctor says so', () => {
  const given = { ...email, ESCALATION_SMS_TO: '+16125557810', ESCALATION_EMAIL_TO: 'd@b.test' }
  expect(look(checkPromise, given)).toContainEqual(
    expect.objectContaining({ about: 'ESCALATION_SMS_TO', state: 'to do' }),
  )
  expect(JSON.stringify(look(checkPromise, given))).not.toMatch(/d@b|7810/)
  expect(look(checkPromise, { ...email, ESCALATION_SMS_TO: ',' })).not.toContainEqual(
    expect.objectContaining({ about: 'ESCALATION_SMS_TO' }),
  )
})

test('UTC is nobody’s time unless the owner says so', () => {
  const stateOf = (timeZone: string, given: Given) =>
    checkPromise({ ...readEnv({}), timeZone }, given).find(({ about }) => about === 'time zone')
      ?.state
  expect(stateOf('UTC', {})).toBe('to do')
  expect(stateOf('Etc/UTC', {})).toBe('to do')
  expect(stateOf('UTC', { TIME_ZONE: 'UTC' })).toBe('ok')
  expect(stateOf('America/Chicago', {})).toBe('ok')
})
