import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startHttpFake } from '#fakes/http.ts'
import { startFakeMail } from '#fakes/mail.ts'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { UserError } from '#leads/user-error.ts'
import * as content from '#site/content.ts'
import { createDir } from '#testing/database.ts'
import type { Finding } from './doctor/checks.ts'
import { type DoctorDeps, runDoctor } from './doctor.ts'

const run = (args: string[], raw: Record<string, string> = {}, changes: Partial<DoctorDeps> = {}) =>
  runDoctor(args, {
    root: '/nowhere',
    raw,
    readContent: async () => content,
    fetch: () => Promise.reject(new TypeError('fetch failed')),
    pause: async () => {},
    now: () => 0,
    ...changes,
  })

test('does not advise a restart if the running site reports that its database file is gone', async () => {
  const fetch: typeof globalThis.fetch = async () =>
    Response.json({ ok: false, warnings: ['database-file-gone'] }, { status: 503 })
  const raw = { PUBLIC_URL: 'https://www.roofing.test', DATA_DIR: createDir() }
  const { results } = JSON.parse((await run(['--json'], raw, { fetch })).text)
  const next = expect.stringContaining('download all leads on the desk before you stop the site')
  expect(results).toContainEqual(expect.objectContaining({ id: 'database-file-gone', next }))
  expect(results.map(({ id }: Finding) => id)).not.toContain('site-warnings')
})

test('lists everything in a fresh checkout and creates nothing', async () => {
  const checkout = process.cwd()
  const folder = createDir()
  process.chdir(folder)
  vi.stubEnv('TZ', 'UTC')
  onTestFinished(() => {
    process.chdir(checkout)
    vi.unstubAllEnvs()
  })
  const { code, text } = await run([], {}, { root: folder })
  expect(code).toBe(1)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  const example = `to do  The phone number is a placeholder: ${content.company.phone}.
       → Set company.phone in site/content.ts to your phone number`
  if ('sample' in content.company) expect(text).toContain(example)
  expect(readdirSync(folder)).toEqual([])

  const json = await run(['--json'], {}, { root: folder })
  expect(json.code).toBe(1)
  const { ready, results } = JSON.parse(json.text)
  expect(ready).toBe(false)
  const missing = results
    .filter(({ state }: { state: string }) => state === 'to do')
    .map(({ id }: { id: string }) => id)
  if ('sample' in content.company)
    expect(missing).toEqual([
      ...['env-file', 'phone-placeholder', 'database-missing', 'no-alerts'],
      ...['public-url-missing', 'desk-url-missing', 'sample-content'],
    ])
  expect(results).toContainEqual({
    id: 'database-missing',
    state: 'to do',
    text: 'There is no database in ./data yet.',
    next: expect.any(String),
  })
})

test.each([
  ['an unknown option', ['--sned'], {}, /npm run doctor -- --help/],
  ['an unexpected argument', ['everything'], {}, /npm run doctor -- --help/],
  [
    'invalid settings',
    [],
    { PORT: 'secret-1', SMTP_URL: 'secret-2' },
    /PORT must.*\n.*SMTP_URL must/,
  ],
])('exits with 2 and a message for %s', async (_, args, given, sentence) => {
  const { code, text } = await run(args, given)
  expect(code).toBe(2)
  expect(text).toMatch(sentence)
  expect(text).not.toContain('secret')
})

test('exits with 2 on a mistake in the content, and explains it', async () => {
  const readContent = () => Promise.reject(new UserError('site/content.ts: company.phone is …'))
  expect(await run([], {}, { readContent })).toEqual({
    code: 2,
    text: 'site/content.ts: company.phone is …\n',
  })
})

/** Starts a fake mail server, Twilio, and webhook, and returns the settings for them. */
async function startAll() {
  const [mail, twilio] = await Promise.all([startFakeMail(), startFakeTwilio()])
  const calls: { type: string; text: string }[] = []
  const webhook = await startHttpFake({
    answer({ text }) {
      calls.push(JSON.parse(text))
      return { status: 200, body: '' }
    },
  })
  onTestFinished(async () => {
    await Promise.all([mail.close(), twilio.close(), webhook.close()])
  })
  const given = {
    ...twilio.env,
    ALERT_SMS_TO: '+16125557810',
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'site@roofing.test',
    ALERT_EMAIL_TO: 'crew@roofing.test',
    ESCALATION_EMAIL_TO: 'crew@roofing.test,boss@roofing.test',
    ALERT_WEBHOOK_URL: webhook.url,
    PUBLIC_URL: 'https://www.roofing.test',
  }
  return { mail, twilio, calls, given }
}

/** Returns the results of the channels. Only these results have no ID. */
async function send(raw: Record<string, string>) {
  const { text } = await run(['--send', '--json'], raw, { fetch })
  const { results }: { results: Finding[] } = JSON.parse(text)
  return results.filter(({ id }) => id === undefined)
}

test('reports a wrong password for the mail server, even without --send', async () => {
  const mail = await startFakeMail({ user: 'site', password: 'right' })
  onTestFinished(() => mail.close())
  const check = async (raw: Record<string, string>) => {
    const { text } = await run(['--json'], { ...mail.env, ...raw })
    const { results }: { results: Finding[] } = JSON.parse(text)
    return results
      .filter(({ id }) => id === undefined)
      .map(({ state, text }) => `${state}: ${text}`)
  }
  expect(await check({})).toEqual(['ok: Email alerts go to 1 recipient.'])
  const SMTP_URL = mail.url.replace('right', 'wrong')
  const rejected = /^to do: Email: The mail server rejected the site’s user name or password\./
  for (const ALERT_EMAIL_TO of ['crew@roofing.test', ''])
    expect(await check({ SMTP_URL, ALERT_EMAIL_TO })).toEqual([expect.stringMatching(rejected)])
  expect(mail.mails).toEqual([])
})

test('--send sends one test to each recipient of each channel', async () => {
  const { mail, twilio, calls, given } = await startAll()
  const results = await send(given)
  expect(results.map(({ state, text }) => `${state}: ${text}`)).toEqual([
    'ok: Email: sent a test to 2 recipients. Check that it arrived.',
    'ok: Text message: sent a test to 1 recipient. Check that it arrived.',
    'ok: Webhook: sent a test to 1 recipient. Check that it arrived.',
  ])
  const recipients = mail.mails.flatMap(({ to }) => to).sort()
  expect(recipients).toEqual(['boss@roofing.test', 'crew@roofing.test'])
  for (const { subject, text } of mail.mails) {
    expect(subject).toMatch(/^TEST/)
    expect(text).toContain('https://www.roofing.test/')
  }
  expect(twilio.messages.map(({ body }) => body)).toEqual([expect.stringMatching(/^TEST/)])
  expect(calls).toMatchObject([{ type: 'lead.test', text: expect.stringMatching(/^TEST/) }])
})

test('--send reports rejected tests without addresses', async () => {
  const { mail, twilio, given } = await startAll()
  mail.settings.refusedReceivers.set('boss@roofing.test', 550)
  twilio.nextFaults.push({ kind: 'error', status: 400, code: 21608 })
  const results = await send({ ...given, ALERT_WEBHOOK_URL: 'http://127.0.0.1:1/' })
  expect(results.map(({ state, text }) => `${state}: ${text}`)).toEqual([
    expect.stringMatching(/^to do: .*The mail server rejected the email/),
    expect.stringMatching(/^to do: .*only verified numbers/),
    expect.stringMatching(/^to do: .*couldn’t be reached/),
  ])
  expect(JSON.stringify(results)).not.toMatch(/@|7810/)
  expect(mail.mails.flatMap(({ to }) => to)).toEqual(['crew@roofing.test'])
})
