import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startMailStandIn } from '#demo/mail-stand-in.ts'
import { startTwilioStandIn } from '#demo/twilio-stand-in.ts'
import { readEnv } from '#leads/settings.ts'
import { checkAlerts, sendTests } from './alerts.ts'
import { listChecks } from './check.ts'

const now = () => Date.parse('2026-11-15T12:00:00Z')
const deps = { fetch, now }

async function startAll() {
  const [mail, twilio] = await Promise.all([startMailStandIn(), startTwilioStandIn()])
  const calls: { type: string; text: string }[] = []
  const webhook = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    calls.push(JSON.parse(text))
    response.end()
  })
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    webhook.closeAllConnections()
    webhook.close()
    await Promise.all([mail.close(), twilio.close()])
  })
  const given = {
    ...twilio.env,
    ALERT_SMS_TO: '+16125557810',
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'site@roofing.test',
    ALERT_EMAIL_TO: 'crew@roofing.test',
    ESCALATION_EMAIL_TO: 'crew@roofing.test,boss@roofing.test',
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
    PUBLIC_URL: 'https://www.roofing.test',
    TIME_ZONE: 'America/Chicago',
  }
  return { mail, twilio, calls, given }
}

const mail = { SMTP_URL: 'smtps://mail.test', ALERT_EMAIL_FROM: 'a@b.test' }
const fullMail = { ...mail, ALERT_EMAIL_TO: 'c@b.test' }
const boss = { ESCALATION_SMS_TO: '+16125557810' }

test.each([
  ['no channel', {}, ['to do: No alert is set up']],
  ['half a channel', mail, ['to do: .*ALERT_EMAIL_TO missing']],
  ['a webhook alone', { ALERT_WEBHOOK_URL: 'https://h.test' }, ['ok: ', 'cannot tell: .*person']],
  ['mail', fullMail, ['ok: .* e-mail .1 receiver., with reminders after 4 and 8 minutes']],
  ['who is reminded without a channel', { ...fullMail, ...boss }, ['to do: ESCALATION', 'ok: ']],
  ['an empty list', { ...fullMail, ESCALATION_SMS_TO: ',' }, ['ok: ']],
])('alerts: %s', (_, given, sentences) => {
  const checks = listChecks(checkAlerts(readEnv(given), given))
  expect(checks.map(({ state, says }) => `${state}: ${says}`)).toEqual(
    sentences.map((sentence) => expect.stringMatching(`^${sentence}`)),
  )
  expect(JSON.stringify(checks)).not.toMatch(/@b|7810/)
})

test('a test goes to every receiver of every channel once, marked as a test', async () => {
  const { mail, twilio, calls, given } = await startAll()
  const checks = listChecks(await sendTests(readEnv(given), deps))
  expect(checks.map(({ state, says }) => `${state}: ${says}`)).toEqual([
    'ok: Test by e-mail: taken for 2 receivers. Has it arrived?',
    'ok: Test by text message: taken for 1 receiver. Has it arrived?',
    'ok: Test by webhook: taken for 1 receiver. Has it arrived?',
  ])
  const receivers = mail.mails.flatMap(({ to }) => to).sort()
  expect(receivers).toEqual(['boss@roofing.test', 'crew@roofing.test'])
  for (const { subject, text } of mail.mails) {
    expect(subject).toMatch(/^TEST/)
    expect(text).toContain('https://www.roofing.test/')
  }
  expect(twilio.messages.map(({ body }) => body)).toEqual([expect.stringMatching(/^TEST/)])
  expect(calls).toMatchObject([{ type: 'lead.test', text: expect.stringMatching(/^TEST/) }])
})

test('what is refused is to do, in words without addresses', async () => {
  const { mail, twilio, given } = await startAll()
  mail.settings.refusedReceivers.set('boss@roofing.test', 550)
  twilio.nextFaults.push({ kind: 'error', status: 400, code: 21608 })
  const env = readEnv({ ...given, ALERT_WEBHOOK_URL: 'http://127.0.0.1:1/' })
  const checks = listChecks(await sendTests(env, deps))
  expect(checks.map(({ state, says }) => `${state}: ${says}`)).toEqual([
    expect.stringMatching(/^to do: .*The mail server refuses the mail/),
    expect.stringMatching(/^to do: .*verified numbers only/),
    expect.stringMatching(/^to do: .*could not be reached/),
  ])
  expect(JSON.stringify(checks)).not.toMatch(/@|7810/)
  expect(mail.mails.flatMap(({ to }) => to)).toEqual(['crew@roofing.test'])
})
