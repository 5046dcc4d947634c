import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { startFakePush } from '#fakes/push.ts'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { testLead, testPath } from '#testing/app.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestDesk } from '#testing/desk.ts'
import { createTestLog } from '#testing/log.ts'
import {
  alwaysOpen as hours,
  makeStranger,
  record,
  savePhone,
  testCompany,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { createService } from './service.ts'
import type { Engine } from './store/tables.ts'

const minuteMs = 60_000
const crowd = '203.0.113.7'

async function open(engine: Engine) {
  const [mail, twilio, push] = await Promise.all([
    startFakeMail(),
    startFakeTwilio(),
    startFakePush(),
  ])
  onTestFinished(async () => {
    await Promise.all([mail.close(), twilio.close(), push.close()])
  })
  const db = await openTestDatabase(engine)
  const desk = createTestDesk(db, { hours })
  const { clock } = desk
  const env = makeSettings({
    ...twilio.env,
    ALERT_SMS_TO: '+15550002222',
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'site@example.com',
    ALERT_EMAIL_TO: 'office@example.com',
    DESK_URL: 'https://desk.example.com',
    RATE_LIMIT_PER_MINUTE: '0',
  })
  const createProcess = () =>
    createService({
      env,
      hours: () => hours,
      company: () => testCompany,
      db,
      log: createTestLog(),
      fetch: push.fetch,
      now: () => clock.at,
      wake: () => {},
      readClientAddress: (c) => c.req.header('test-client') ?? crowd,
      mayShareAddress: () => false,
    })
  const { app, deliverer } = createProcess()
  const { endpoint, keys } = push.addPhone('Truck')
  await savePhone(db, { endpoint, ...keys, createdAt: clock.at })
  const send = async (name: string, from = crowd, serviceType = 'roof-repair') => {
    const sent = await app.request(testPath, {
      method: 'POST',
      headers: {
        apikey: 'public-anon-key',
        'content-type': 'application/json',
        'test-client': from,
      },
      body: JSON.stringify({ ...testLead, ...makeStranger(), name, serviceType }),
    })
    expect(sent.status).toBe(200)
  }
  const sendMany = async (from: number, to: number, address = crowd) => {
    for (let at = from; at <= to; at++) await send(`Lead ${at}`, address)
  }
  let seen = 0
  const deliver = async (process = deliverer) => {
    await process.deliverDue(1)
    const texts = twilio.messages.slice(seen)
    seen += texts.length
    return {
      emails: mail.mails.splice(0).length,
      texts: texts.map(({ body }) => body),
      pushes: push.messages.splice(0).map(({ data }) => data.notification),
    }
  }
  const cookie = await desk.signIn()
  const readToday = async () => (await desk.call('GET', '/api/today', { cookie })).json
  const readStates = () =>
    db.kysely
      .selectFrom('deliveries')
      .select('state')
      .distinct()
      .where('channel', '!=', 'airtable')
      .execute()
  return { db, clock, createProcess, twilio, send, sendMany, deliver, readToday, readStates }
}

describe.each(engines)('25 leads from one network within an hour, on %s', (engine) => {
  it('cause 20 texts and notifications, 25 emails, and one message for all reminders', async () => {
    const { clock, sendMany, send, deliver, readStates, readToday } = await open(engine)
    await sendMany(1, 19)
    const first = await deliver()
    expect([first.emails, first.texts.length, first.pushes.length]).toEqual([19, 19, 19])

    await sendMany(20, 24)
    await send('Ann Lee', crowd, 'emergency')
    await send('Real Roof', '198.51.100.4')
    const second = await deliver()
    expect(second.emails).toBe(7)
    // The lead from elsewhere is alerted alone.
    const headline = '1 EMERGENCY among 6 leads to call by 6:10 AM CST'
    const names = /^Ann Lee, Lead 2\d, Lead 2\d, 3 more$/
    const [alone, ...others] = second.texts
    expect(alone).toContain('Real Roof')
    expect(others.map((text) => text.split('\n'))).toEqual([
      [
        `${headline}, many from one network.`,
        expect.stringMatching(/^Ann Lee, Lead 2\d, Lead 2\d, 3 more\.$/),
        'Call them from the desk: https://desk.example.com',
      ],
    ])
    expect(second.pushes).toMatchObject([
      { title: 'Real Roof: call by 6:10 AM CST' },
      {
        title: headline,
        body: expect.stringMatching(names),
        navigate: 'https://desk.example.com/',
      },
    ])

    await sendMany(26, 27)
    clock.at += 2 * minuteMs - 1
    expect((await deliver()).texts).toEqual([])
    clock.at += 1
    const third = await deliver()
    expect(third.texts).toEqual([expect.stringContaining('2 leads to call by 6:10 AM CST')])
    expect(third.pushes).toHaveLength(1)

    clock.at += 2 * minuteMs
    const reminders = await deliver()
    // 19 leads and the one from elsewhere, and one message for the other eight.
    expect([reminders.texts.length, reminders.pushes.length]).toEqual([21, 21])
    expect(reminders.emails).toBe(28)
    expect(await readStates()).toEqual([{ state: 'sent' }])

    const { leads, totals } = await readToday()
    expect(totals.toCall).toBe(28)
    const listed = leads.map(({ name, isInBurst }: { name: string; isInBurst: boolean }) =>
      isInBurst ? 'burst' : name,
    )
    expect(listed.indexOf('burst')).toBe(20)
    expect(listed.indexOf('Real Roof')).toBeLessThan(20)
  })

  it('cause one combined message with two processes', async () => {
    const { createProcess, sendMany, deliver, readStates } = await open(engine)
    await sendMany(1, 25)
    const processes = [createProcess(), createProcess()]
    const sent = await Promise.all(processes.map(({ deliverer }) => deliver(deliverer)))
    const texts = sent.flatMap((one) => one.texts)
    expect(texts).toHaveLength(20)
    expect(texts.filter((text) => text.includes('6 leads to call'))).toHaveLength(1)
    expect(sent.flatMap((one) => one.pushes)).toHaveLength(20)
    expect(await readStates()).toEqual([{ state: 'sent' }])
  })

  it('cause another attempt within seconds if the combined message fails', async () => {
    const { clock, twilio, sendMany, deliver, readStates } = await open(engine)
    await sendMany(1, 25)
    twilio.nextFaults.push(...Array(19).fill(undefined), {
      kind: 'error',
      status: 500,
      code: 20500,
    })
    expect((await deliver()).texts).toHaveLength(19)
    clock.at += 10_000
    expect((await deliver()).texts).toEqual([expect.stringContaining('6 leads to call')])
    expect(await readStates()).toEqual([{ state: 'sent' }])
    twilio.statusReads.length = 0
    clock.at += 5_000
    await deliver()
    // The last text stands for six deliveries.
    expect(twilio.statusReads).toHaveLength(20)
    expect(new Set(twilio.statusReads).size).toBe(20)
  })

  it('name only leads that nobody has called in a combined message', async () => {
    const { db, clock, sendMany, deliver, readStates } = await open(engine)
    const call = async (name: string) => {
      const [lead] = await db.kysely
        .selectFrom('leads')
        .select('id')
        .where('name', '=', name)
        .execute()
      await record(db, lead?.id ?? '', 'called', { at: clock.at })
    }
    await sendMany(1, 25)
    await deliver()

    await sendMany(26, 27)
    for (const name of ['Lead 26', 'Lead 27']) await call(name)
    clock.at += 2 * minuteMs
    const called = await deliver()
    expect([called.texts, called.pushes, called.emails]).toEqual([[], [], 2])

    // Nothing was sent, so the next message need not wait.
    await sendMany(28, 30)
    await call('Lead 29')
    const { texts, pushes } = await deliver()
    expect(texts).toEqual([
      expect.stringMatching(/^2 leads to call .*\nLead (28|30), Lead (28|30)\./),
    ])
    expect(pushes).toHaveLength(1)
    expect(await readStates()).toEqual(
      expect.arrayContaining([{ state: 'sent' }, { state: 'cancelled' }]),
    )
  })
})
