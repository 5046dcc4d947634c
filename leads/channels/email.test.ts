import { expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { storedJane } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { StoredLead } from '../lead.ts'
import { email } from './email.ts'

async function open(changed: { smtpUrl?: string; password?: string } = {}) {
  const mail = await startFakeMail(
    changed.password ? { user: 'crew', password: changed.password } : {},
  )
  onTestFinished(() => mail.close())
  const env = makeSettings({
    SMTP_URL: changed.smtpUrl ?? mail.url.replace('right', 'wrong-secret'),
    ALERT_EMAIL_FROM: 'Roofing <alerts@example.com>',
    ALERT_EMAIL_TO: 'crew@example.com',
  })
  const { context } = createTestContext(await openTestDatabase('sqlite'), env)
  const send = (lead: Partial<StoredLead> = {}, signal = AbortSignal.timeout(10_000)) =>
    sendThrough(email, context, { lead: { ...storedJane, ...lead }, signal })
  return { mail, send }
}

it('sends all details for the call as text and HTML', async () => {
  const { mail, send } = await open()
  const name = 'Zoë 山田 👩‍👩‍👧'
  expect(await send({ serviceType: 'emergency', name })).toEqual({ ok: true })
  expect(mail.mails).toHaveLength(1)
  const [received] = mail.mails
  expect(received?.to).toEqual(['crew@example.com'])
  expect(received?.subject).toBe(`EMERGENCY: call ${name} by 6:10 AM CST`)
  expect(Object.fromEntries(received?.headers ?? [])).toMatchObject({
    'message-id': `<${storedJane.id}_received@example.com>`,
    'auto-submitted': 'auto-generated',
    importance: 'High',
  })
  const links = ['tel:5551234567', '123%20Main%20St', 'https://www.example.com/answer/']
  for (const part of [received?.text, received?.html])
    for (const needed of [name, 'Emergency Service', '6:10 AM CST', ...links])
      expect(part).toContain(needed)
})

const refused550 = { refusedReceivers: new Map([['crew@example.com', 550]]) }
const wrongPassword =
  /^The mail server rejected the site’s user name or password\. Check SMTP_URL(?!.*secret)/

// A permanent rejection of the message or its recipient concerns one lead; other errors affect all leads.
it.each([
  ['a temporary rejection', { refuseData: 451 }, {}, /rejected the email \(\S+ 451/, false],
  ['a permanent rejection', { refuseData: 554 }, {}, /rejected the email \(\S+ 554/, true],
  ['a rejected recipient', refused550, {}, /\(EENVELOPE 550 at RCPT TO\)\.$/, true],
  [
    'a closed port',
    {},
    { smtpUrl: 'smtp://127.0.0.1:1' },
    /be reached\. Check SMTP_URL \(E\w+/,
    false,
  ],
  ['a wrong password', {}, { password: 'right' }, wrongPassword, false],
])('explains %s', async (_, changed, given, error, refused) => {
  const { mail, send } = await open(given)
  Object.assign(mail.settings, changed)
  expect(await send()).toEqual({ ok: false, error: expect.stringMatching(error), refused })
  expect(mail.mails).toEqual([])
})

it('aborts when the process stops while the mail server hangs', async () => {
  const { mail, send } = await open()
  const stopping = new AbortController()
  mail.settings.hang = () => stopping.abort()
  expect(await send({}, stopping.signal)).toEqual({
    ok: false,
    error: 'The mail server didn’t respond in time.',
    refused: false,
  })
})
