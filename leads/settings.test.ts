import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { knownVariables, readEnv, variables } from './settings.ts'

const mail = {
  SMTP_URL: 'smtps://mail.example',
  ALERT_EMAIL_FROM: 'a@example.com',
  ALERT_EMAIL_TO: 'b@example.com, c@example.com',
}

it('treats empty variables and empty lists as unset', () => {
  expect(readEnv({ PORT: '', DATABASE_URL: ' ', SUPABASE_ANON_KEY: '' })).toEqual(readEnv({}))
  const given = {
    ...mail,
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 't',
    TWILIO_FROM: '+15550001111',
    ALERT_SMS_TO: '+15550002222',
  }
  const lists = ['ESCALATION_EMAIL_TO', 'ESCALATION_SMS_TO', 'ESCALATE_AFTER_MINUTES']
  const empty = Object.fromEntries([...lists, 'ALLOWED_ORIGINS'].map((name) => [name, ' , ']))
  expect(readEnv({ ...given, ...empty })).toEqual(readEnv(given))
  const { email, sms, incomplete } = readEnv({
    ...given,
    ALERT_EMAIL_TO: ',',
    ALERT_SMS_TO: ',,',
  })
  expect([email?.to, sms]).toEqual([[], undefined])
  expect(incomplete).toEqual({ email: ['ALERT_EMAIL_TO'], sms: ['ALERT_SMS_TO'] })
})

it('lists all invalid variables in one message, without their values', () => {
  const read = () => readEnv({ PORT: 'secret1', DATABASE_URL: 'mysql://secret2', HOST: '::' })
  expect(read).toThrow(/PORT .*\n.*DATABASE_URL /)
  expect(read).not.toThrow(/secret|HOST/)
})

it.each([
  [{ CONFIRMATION_EMAIL: 'yes' }, /CONFIRMATION_EMAIL must be on or off/],
  [{ ALERT_EMAIL_TO: 'sam@a.test, boss@blueheron' }, /ALERT_EMAIL_TO must be email addresses such/],
  [{ ALERT_SMS_TO: '5551234567' }, /ALERT_SMS_TO must be phone numbers such as \+1/],
  [{ ALERT_WEBHOOK_SECRET: 'not base64!' }, /ALERT_WEBHOOK_SECRET must be base64/],
  [{ ESCALATE_AFTER_MINUTES: '4,240' }, /ESCALATE_AFTER_MINUTES must be minutes up to 239/],
  [{ ESCALATE_AFTER_MINUTES: '4,4' }, /ESCALATE_AFTER_MINUTES must be in ascending order/],
  [{ NO_ANSWER_MINUTES: '0' }, /NO_ANSWER_MINUTES must be a whole number from 1 to 1440/],
  [{ LINK_SECRET: 'short' }, /LINK_SECRET must be at least 16/],
  [{ SMTP_URL: 'mail.example' }, /SMTP_URL .+ write # \/ \? as %23 %2F %3F/],
  [{ ALLOWED_ORIGINS: 'https://a.example/path' }, /ALLOWED_ORIGINS must be origins/],
  [{ RATE_LIMIT_PER_MINUTE: 'many' }, /RATE_LIMIT_PER_MINUTE must be/],
  [{ PORT: '3001' }, /DESK_PORT must differ from PORT/],
  [
    { PUBLIC_URL: 'https://www.a.test', DESK_URL: 'https://www.a.test/desk' },
    /DESK_URL must have a different host name or port than PUBLIC_URL/,
  ],
])('rejects %j', (variables, message) => {
  expect(() => readEnv(variables as Record<string, string>)).toThrow(message)
})

it.each([
  { PORT: '0', DESK_PORT: '0' },
  // Without DESK_URL, a public site has no desk, so PORT cannot conflict with DESK_PORT.
  { PORT: '3001', PUBLIC_URL: 'https://www.a.test' },
  { PUBLIC_URL: 'https://a.test', DESK_URL: 'https://desk.a.test' },
])('accepts %j', (variables) => {
  expect(() => readEnv(variables as Record<string, string>)).not.toThrow()
})

it('reports unknown variables that look like ours, with the nearest known one', () => {
  const { unknown } = readEnv({
    SMPT_URL: 'smtp://mail.example',
    SMTP_PASSWORD: 'secret',
    ALERT_EMAIL: 'a@example.com',
    DESK_EMAILS_TO: 'a@example.com',
    BACKUP_DIRECTORY: '/backups',
    ...{ PATH: '/bin', HOME: '/root', HOSTNAME: 'a', POST: '1', SUPABASE_URL: 'https://a.test' },
    ...{ VITE_SUPABASE_URL: 'https://a.test', BACKUP_DIR: '/backups', PUBLIC_URLS: ' ' },
  })
  expect(unknown).toEqual([
    { name: 'SMPT_URL', nearest: 'SMTP_URL' },
    { name: 'SMTP_PASSWORD', nearest: 'SMTP_URL' },
    { name: 'ALERT_EMAIL', nearest: 'ALERT_EMAIL_TO' },
    { name: 'DESK_EMAILS_TO', nearest: 'DESK_EMAIL_TO' },
  ])
})

it('links to the answer page on Supabase only with a custom domain', () => {
  const supabase = { SUPABASE_DB_URL: 'postgresql://a@b/c', ALERT_WEBHOOK_URL: 'https://a.example' }
  for (const given of [{}, { PUBLIC_URL: 'https://project.supabase.co' }]) {
    const { answerUrl } = readEnv({ ...supabase, ...given })
    expect(answerUrl).toBeUndefined()
  }
  expect(readEnv({ ...supabase, PUBLIC_URL: 'https://api.example.com' }).answerUrl).toBe(
    'https://api.example.com/functions/v1/submit-to-airtable/answer',
  )
})

it('reads the variables that Supabase sets', () => {
  const env = readEnv({
    SUPABASE_DB_URL: 'postgresql://a@b/c',
    SUPABASE_ANON_KEY: 'legacy',
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_1"}',
  })
  expect(env.databaseUrl).toBe('postgresql://a@b/c')
  expect(env.anonKeys).toEqual(['legacy', 'sb_publishable_1'])
  const both = { DATABASE_URL: 'postgres://x/y', SUPABASE_DB_URL: 'postgres://z' }
  expect(readEnv(both).databaseUrl).toBe('postgres://x/y')
})

it('rejects a user name or password in PUBLIC_URL without repeating it', () => {
  const message = /^Please fix these environment variables:\n {2}PUBLIC_URL must not contain [^@]+$/
  for (const user of ['jane:secret', 'jane'])
    expect(() => readEnv({ PUBLIC_URL: `https://${user}@www.example.com` })).toThrow(message)
})

it('reads only variables from .env.example, and an unedited copy changes no setting', () => {
  const example = readFileSync('.env.example', 'utf8')
  // Supabase sets these two automatically.
  const setBySupabase = ['SUPABASE_DB_URL', 'SUPABASE_PUBLISHABLE_KEYS']
  for (const name of Object.keys(variables))
    if (!setBySupabase.includes(name)) expect(example).toMatch(new RegExp(`^${name}=`, 'm'))
  const lines = example.split('\n').filter((line) => /^[A-Z]/.test(line))
  expect(lines.filter((line) => !knownVariables.includes(line.replace('=', '')))).toEqual([])
  const copied = Object.fromEntries(lines.map((line) => line.split(/=(.*)/)))
  expect(readEnv(copied)).toEqual(readEnv({}))
  // Some code checks only whether a variable is set: without HOST, the server prints a URL for phones.
  expect(Object.values(copied).filter((value) => value !== '')).toEqual([])
})

it.each([
  [{}, 'http://localhost:3001'],
  [{ PUBLIC_URL: 'https://www.example.com' }, undefined],
  [{ PUBLIC_URL: 'https://www.example.com', DESK_PORT: '3001' }, undefined],
  // compose.yaml sets this address if DESK_URL is empty.
  [{ PUBLIC_URL: 'https://www.example.com', DESK_URL: 'http://desk.localhost' }, undefined],
  [{ PUBLIC_URL: 'http://localhost', DESK_URL: 'http://desk.localhost' }, 'http://desk.localhost'],
  [{ PUBLIC_URL: 'https://a.test', DESK_URL: 'https://desk.a.test/' }, 'https://desk.a.test'],
])('starts the desk on a public site only with DESK_URL: %j', (variables, url) => {
  expect(readEnv(variables as Record<string, string>).desk?.url).toBe(url)
})

it.each([
  [{ ALERT_EMAIL_FROM: 'Site <site@a.test>', DESK_EMAIL_TO: 'sam@a.test' }, 'mailto:site@a.test'],
  [{ DESK_EMAIL_TO: 'sam@a.test', PUBLIC_URL: 'https://a.test' }, 'mailto:sam@a.test'],
  [{ PUBLIC_URL: 'https://a.test' }, 'https://a.test'],
  [{ DESK_URL: 'https://desk.a.test' }, 'https://desk.a.test'],
  [{}, 'mailto:owner@example.com'],
])('gives push services a contact address that they accept: %j', (variables, contactUrl) => {
  expect(readEnv(variables as Record<string, string>).contactUrl).toBe(contactUrl)
})
