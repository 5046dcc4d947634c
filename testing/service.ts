import { onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { startFakePush } from '#fakes/push.ts'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { createContext } from '#leads/context.ts'
import type { BusinessHours } from '#leads/hours.ts'
import { createService } from '#leads/service.ts'
import type { Database, Engine } from '#leads/store/tables.ts'
import { testLead, testPath } from './app.ts'
import { openChannels } from './delivery.ts'
import { createTestDesk, openTestDesk } from './desk.ts'
import { createTestLog } from './log.ts'
import { alwaysOpen, makeStranger, savePhone, testCompany } from './saved-leads.ts'
import { makeSettings } from './settings.ts'

type Options = { hours?: BusinessHours; env?: Record<string, string> }

/** Starts fakes of the services that alert the crew. They stop when the test ends. */
async function startFakes() {
  const [mail, twilio, push] = await Promise.all([
    startFakeMail(),
    startFakeTwilio(),
    startFakePush(),
  ])
  onTestFinished(async () => {
    await Promise.all([mail.close(), twilio.close(), push.close()])
  })
  const email = {
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'site@example.com',
    ALERT_EMAIL_TO: 'crew@example.com',
  }
  return { mail, twilio, push, email }
}

/**
 * Opens a desk with two owners and a crew phone. `deliverAt` returns what a new process sends at a given time, and
 * separates the digests from messages about leads.
 */
export async function openCrew(
  engine: Engine = 'sqlite',
  { hours = alwaysOpen, env = {} }: Options = {},
) {
  const { mail, push, email } = await startFakes()
  const desk = await openTestDesk(engine, { hours, env: { ...email, ...env } })
  const { db, clock, settings } = desk
  const { endpoint, keys } = push.addPhone('phone')
  await savePhone(db, { endpoint, ...keys })
  const deliverAt = async (at = clock.at, { processes = 1, hours: hoursThen = hours } = {}) => {
    clock.at = at
    const options = { clock, hours: hoursThen, fetch: push.fetch }
    const start = () => openChannels(db, settings, options)
    await Promise.all(Array.from({ length: processes }, () => start().deliver()))
    const isDigest = ({ text }: { text: string }) => text.includes('Open Today')
    const sent = mail.mails.splice(0)
    const mails = sent.filter((one) => !isDigest(one))
    const notified = push.messages.splice(0)
    return {
      mails,
      subjects: mails.map(({ subject }) => subject),
      notifications: notified
        .map(({ data }) => data.notification)
        .filter(({ tag }) => tag !== 'digest'),
      digests: [
        ...sent.filter(isDigest).map(({ to, subject }) => `${to}: ${subject}`),
        ...notified
          .filter(({ data }) => data.notification.tag === 'digest')
          .map(({ device, data }) => `${device}: ${data.notification.body}`),
      ].sort(),
      sent,
      notified,
    }
  }
  return { ...desk, mail, push, deliverAt }
}

/** Opens the whole service with email, texts, and push notifications, and a desk with the same clock. */
export async function openService(db: Database, { hours = alwaysOpen, env = {} }: Options = {}) {
  const fakes = await startFakes()
  const { twilio, push, email } = fakes
  const desk = createTestDesk(db, { hours })
  const { clock } = desk
  const settings = makeSettings({ ...twilio.env, ALERT_SMS_TO: '+15550002222', ...email, ...env })
  const start = () =>
    createService(
      createContext({
        env: settings,
        hours: () => hours,
        company: () => testCompany,
        db,
        log: createTestLog(),
        fetch: push.fetch,
        now: () => clock.at,
      }),
      {
        wake: () => {},
        readClientAddress: (c) => c.req.header('test-client') ?? '203.0.113.7',
        mayShareAddress: () => false,
      },
    )
  const { app, deliverer } = start()
  /** Sends a lead from another homeowner as the page does. */
  const ask = (lead: object, headers: Record<string, string> = {}) =>
    app.request(testPath, {
      method: 'POST',
      headers: { apikey: 'public-anon-key', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...testLead, ...makeStranger(), ...lead }),
    })
  const cookie = await desk.signIn()
  const read = async (path: string) => (await desk.call('GET', path, { cookie })).json
  return { ...fakes, desk, clock, cookie, ask, read, deliverer, start }
}
