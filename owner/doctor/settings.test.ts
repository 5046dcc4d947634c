import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { createDir } from '#testing/database.ts'
import { type Finding, listChecks } from './check.ts'
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
type Look = (env: ReturnType<typeof readEnv>, given: Given) => Finding
const look = (check: Look, given: Given) => listChecks(check(readEnv(given), given))

test('.env is to be made, and to be closed to others', () => {
  const file = join(createDir(), '.env')
  const make = 'install -m 600 .env.example .env'
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'to do', next: make })
  expect(checkEnvFile(file, { PUBLIC_URL: 'https://a.test' })).toMatchObject({ state: 'ok' })
  writeFileSync(file, 'PORT=3000\n')
  chmodSync(file, 0o644)
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'to do', next: 'chmod o= .env' })
  // The site's own user may read what root has written.
  chmodSync(file, 0o640)
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'ok' })
})

test('.env that one may not read is another user’s, not fine', () => {
  const folder = createDir()
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

const tls = { PUBLIC_URL: 'https://a.test' }
const elsewhere = { VITE_SUPABASE_URL: 'https://b.test' }
const ownKey = { VITE_SUPABASE_ANON_KEY: 'sb_publishable_1' }

test.each([
  ['no public address', checkPublicUrl, {}, ['to do']],
  ['one without TLS', checkPublicUrl, { PUBLIC_URL: 'http://a.test' }, ['to do']],
  ['one with TLS', checkPublicUrl, tls, ['ok']],
  ['TLS without trusted proxies', checkProxies, tls, ['to do']],
  ['TLS and no proxy', checkProxies, { ...tls, TRUSTED_PROXIES: '0' }, ['to do']],
  ['TLS and one', checkProxies, { ...tls, TRUSTED_PROXIES: '1' }, ['ok']],
  ['proxies on a laptop', checkProxies, {}, []],
  ['proxies with the backend elsewhere', checkProxies, { ...tls, ...elsewhere }, []],
  ['the default key on both sides', checkKeys, {}, ['ok']],
  ['one key on both sides', checkKeys, { SUPABASE_ANON_KEY: 'one' }, ['ok']],
  ['another key in the page', checkKeys, { SUPABASE_ANON_KEY: 'one', ...ownKey }, ['to do']],
  ['the default key to another backend', checkKeys, elsewhere, ['to do']],
  ['a key of its own to another backend', checkKeys, { ...elsewhere, ...ownKey }, ['ok']],
])('%s', (_, check, given, states) => {
  expect(look(check, given).map(({ state }) => state)).toEqual(states)
})

test.each([
  ['4,8', 'ok'],
  ['7', 'ok'],
  ['9', 'to do'],
  // None is the default.
  [',', 'ok'],
])('reminders after %s minutes: %s', (ESCALATE_AFTER_MINUTES, state) => {
  const [reminders] = look(checkPromise, { ...email, ESCALATE_AFTER_MINUTES })
  expect(reminders).toMatchObject({ about: 'reminders', state })
})

test('a receiver of reminders without a channel hears nothing, and doctor says so', () => {
  const listUnheard = (given: Given) =>
    look(checkPromise, { ...email, ...given }).filter(({ about }) => about.startsWith('ESCALATION'))
  const numbers = { ESCALATION_SMS_TO: '+16125557810', ESCALATION_EMAIL_TO: 'd@b.test' }
  const unheard = listUnheard(numbers)
  expect(unheard).toMatchObject([{ about: 'ESCALATION_SMS_TO', state: 'to do' }])
  expect(JSON.stringify(unheard)).not.toMatch(/d@b|7810/)
  expect(listUnheard({ ESCALATION_SMS_TO: ',' })).toEqual([])
})

test.each([
  ['UTC', {}, 'to do'],
  ['Etc/UTC', {}, 'to do'],
  ['UTC', { TIME_ZONE: 'UTC' }, 'ok'],
  ['America/Chicago', {}, 'ok'],
])('nobody’s time unless the owner says so: %s, %o', (timeZone, given, state) => {
  const checks = listChecks(checkPromise({ ...readEnv({}), timeZone }, given))
  expect(checks).toContainEqual(expect.objectContaining({ about: 'time zone', state }))
})
