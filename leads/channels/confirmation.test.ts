import { expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, openChannels, readDeliveries, sendThrough } from '#testing/delivery.ts'
import {
  dayHours,
  jane,
  promiseFrom,
  storedJane,
  storeLead,
  testCompany,
  testTime,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import brand from '../brand.json' with { type: 'json' }
import type { Company } from '../context.ts'
import { noPromise } from '../deadline.ts'
import { planDelivery } from '../delivery/plan.ts'
import { findProblems } from '../health/find-problems.ts'
import type { StoredLead } from '../lead.ts'
import { hourMs, minuteMs } from '../time-units.ts'
import { confirmation, describeConfirmation } from './confirmation.ts'

const variables = {
  SMTP_URL: 'smtp://localhost',
  ALERT_EMAIL_FROM: 'alerts@example.com',
  CONFIRMATION_EMAIL: 'on',
}

async function startMail(from = variables.ALERT_EMAIL_FROM) {
  const mail = await startFakeMail()
  onTestFinished(() => mail.close())
  return { mail, env: makeSettings({ ...variables, SMTP_URL: mail.url, ALERT_EMAIL_FROM: from }) }
}

async function open({ from, company = {} }: { from?: string; company?: Partial<Company> } = {}) {
  const { mail, env } = await startMail(from)
  const { context } = createTestContext(await openTestDatabase('sqlite'), env)
  const own = { ...context, company: () => ({ ...testCompany, ...company }) }
  const send = (
    lead: Partial<StoredLead> = {},
    reason: 'received' | 'unreached' = 'received',
    revision = 0,
  ) => sendThrough(confirmation, own, { lead: { ...storedJane, ...lead }, reason, revision })
  return { mail, send }
}

it('tells the homeowner by when the company calls, as text and in the brand’s colors', async () => {
  const { mail, send } = await open()
  expect(await send()).toEqual({ ok: true })
  const [received] = mail.mails
  expect(received?.to).toEqual([jane.email])
  expect(received?.subject).toBe('Northgate Roofing: we got your request')
  expect(Object.fromEntries(received?.headers ?? [])).toMatchObject({
    from: 'Northgate Roofing <alerts@example.com>',
    'reply-to': 'alerts@example.com',
    'message-id': `<${storedJane.id}_confirmation@example.com>`,
    'auto-submitted': 'auto-generated',
  })
  expect(received?.text.replaceAll('\r', '').trim()).toBe(
    [
      'Hello,',
      'We got your request. We’ll call you by 6:10 AM.',
      'Questions? Call (612) 555-0134.',
      'Northgate Roofing',
      'If you didn’t ask us for an estimate, you can ignore this email.',
    ].join('\n\n'),
  )
  for (const part of ['6:10 AM', 'tel:6125550134', brand.palette.accent, brand.palette.ink])
    expect(received?.html).toContain(part)
})

it('tells the homeowner about a call that nobody answered, in the same thread', async () => {
  const company = { email: 'office@northgate.example' }
  const { mail, send } = await open({ from: 'Crew <crew@example.com>', company })
  await send({ phone: '(612) 555-0142 ext 7', changedAt: testTime }, 'unreached')
  const [received] = mail.mails
  expect(received?.subject).toBe('Northgate Roofing: we tried to reach you')
  expect(received?.text).toContain(
    'We just tried to reach you at the number ending in 0142. We’ll try again.',
  )
  expect(received?.text).toContain('Call us at (612) 555-0134.')
  expect(Object.fromEntries(received?.headers ?? [])).toMatchObject({
    from: 'Crew <crew@example.com>',
    'reply-to': company.email,
    'message-id': `<${storedJane.id}_confirmation_unreached@example.com>`,
    references: `<${storedJane.id}_confirmation@example.com>`,
  })
  // Mail apps could hide the next day's email if it had the same ID.
  await send({}, 'unreached', 1)
  expect(mail.mails[1]?.headers.get('message-id')).toContain('_unreached_1@')
})

const describe = (
  lead: Partial<StoredLead>,
  { now = testTime, attempts = 1, reason = 'received' as 'received' | 'unreached' } = {},
) => {
  const context = { company: () => testCompany, hours: () => dayHours, now: () => now }
  return describeConfirmation({ lead: { ...storedJane, ...lead }, reason, attempts }, context).text
}

it.each([
  ['ends', 550, { ok: false, isUndeliverable: true }],
  ['retries', 450, { ok: false, refused: true }],
])('%s after a rejected address (%i), which is no outage', async (_, code, result) => {
  const { mail, send } = await open()
  mail.settings.refusedReceivers.set(jane.email, code)
  expect(await send()).toMatchObject(result)
})

it('never promises a call in the past', () => {
  expect(describe({ deadlineAt: testTime + 25 * hourMs })).toMatch(/by 7:00 AM on [A-Z]\w+day\./)
  const late = describe({}, { now: promiseFrom(testTime).deadlineAt })
  expect(late).toContain('We got your request. We’ll call you as soon as we can.\n')
  expect(describe({ calledAt: testTime })).toContain('We got your request.\n')
})

it('says “just” only about a call of the last minutes', () => {
  const called = { changedAt: testTime }
  const at = (minutes: number, attempts = 1) =>
    describe(called, { now: testTime + minutes * minuteMs, reason: 'unreached', attempts })
  expect(at(4)).toContain('We just tried to reach you')
  expect(at(50)).toContain('We tried to reach you')
  // On a retry, changedAt may be the time of “Change the time” instead of the call.
  expect(at(4, 2)).toContain('We tried to reach you')
})

it('confirms a lead at night, retries for an hour, and then stops', async () => {
  const { mail, env } = await startMail()
  const db = await openTestDatabase('sqlite')
  const options = { hours: dayHours, clock: { at: testTime } }
  const { context, clock, deliver } = openChannels(db, env, options)
  mail.settings.refusedReceivers.set(jane.email, 450)
  const promise = promiseFrom(testTime + 60 * minuteMs)
  const plan = await planDelivery(context, { ...jane, ...promise })
  expect(plan.recipients).toEqual(['airtable', 'confirmation'])
  await storeLead(db, { ...plan, ...promise, recipients: ['confirmation'], stepAt: undefined })
  const check = async (at: number) => {
    clock.at = at
    await deliver()
    return (await readDeliveries(db)).map(({ state }) => state).join()
  }
  expect(await check(testTime)).toBe('waiting')
  expect(await check(testTime + 59 * minuteMs)).toBe('waiting')
  const problems = await findProblems('desk', context)
  const late = problems.find(({ id }) => id === 'confirmation-late')?.forOwner
  expect(late).toContain('of 1 lead are 59 minutes late. The site retries for an hour.')
  // Move the next attempt past the expiration. Otherwise, the email could be sent as it expires.
  await db.kysely.updateTable('deliveries').set({ nextAttemptAt: promise.deadlineAt }).execute()
  expect(await check(testTime + 61 * minuteMs)).toBe('expired')
  expect(mail.mails).toEqual([])
})

it('does not remind the crew early if the homeowner’s address does not exist', async () => {
  const { mail, env } = await startMail()
  const db = await openTestDatabase('sqlite')
  const { deliver } = openChannels(db, env)
  mail.settings.refusedReceivers.set(jane.email, 550)
  await storeLead(db, { recipients: ['confirmation'] })
  await deliver()
  await deliver()
  expect(await readDeliveries(db)).toMatchObject([{ reason: 'received', state: 'failed' }])
  const row = db.kysely.selectFrom('deliveries').where('recipient', '=', 'crew')
  expect(await row.select('nextAttemptAt').execute()).toEqual([
    { nextAttemptAt: testTime + 4 * minuteMs },
  ])
})

// The mail library reads some of these as a different address, so one mailbox would have several limits.
it.each<[string, boolean, typeof noPromise?]>([
  ["o'neil.jane+roof@mail-1.example.com", true],
  ['<jane@example.com>', false],
  ['jane@example.com>,<b', false],
  ['x<y>z@example.com', false],
  ['jane@a.example,b.example', false],
  ['"jane"@example.com', false],
  ['jane@\uff25xample.com', false],
  ['jane@mail\u3002example.com', false],
  // A spammer may enter a stranger's address.
  [jane.email, false, noPromise],
])('emails only plain addresses: %s', async (email, isSent, promise) => {
  const { context } = createTestContext(await openTestDatabase('sqlite'), makeSettings(variables))
  const { recipients } = await planDelivery(context, {
    ...storedJane,
    email,
    ...promise,
  })
  expect(recipients).toEqual(isSent ? ['airtable', 'confirmation'] : ['airtable'])
})
