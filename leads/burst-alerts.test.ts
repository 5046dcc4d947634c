import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { record, savePhone } from '#testing/saved-leads.ts'
import { openService } from '#testing/service.ts'
import type { Engine } from './store/tables.ts'
import { minuteMs } from './time-units.ts'

const crowd = '203.0.113.7'

async function open(engine: Engine = 'sqlite', more: Record<string, string> = {}) {
  const db = await openTestDatabase(engine)
  const env = { DESK_URL: 'https://desk.example.com', RATE_LIMIT_PER_MINUTE: '0' }
  // Turn off email alerts, because the fake mail server needs 100 ms per email.
  const service = await openService(db, { env: { ...env, ALERT_EMAIL_TO: '', ...more } })
  const { clock, mail, twilio, push, ask } = service
  const { endpoint, keys } = push.addPhone('Truck')
  await savePhone(db, { endpoint, ...keys, createdAt: clock.at })
  const send = async (name: string, from = crowd, serviceType = 'roof-repair') =>
    expect((await ask({ name, serviceType }, { 'test-client': from })).status).toBe(200)
  const sendMany = async (from: number, to: number) => {
    for (let at = from; at <= to; at++) await send(`Lead ${at}`)
  }
  /** Sends the leads before the burst, each with a separate alert. */
  const sendFirst = async () => {
    for (let at = 1; at <= 19; at++) {
      await send(`Lead ${at}`)
      const { texts, pushes } = await deliver()
      expect([texts.length, pushes.length]).toEqual([1, 1])
    }
  }
  let seen = 0
  const deliver = async (process = service.deliverer) => {
    await process.deliverDue(1)
    const texts = twilio.messages.slice(seen)
    seen += texts.length
    return {
      emails: mail.mails.splice(0).length,
      texts: texts.map(({ body }) => body),
      pushes: push.messages.splice(0).map(({ data }) => data.notification),
    }
  }
  const readStates = () =>
    db.kysely
      .selectFrom('deliveries')
      .select('state')
      .distinct()
      .where('recipient', '!=', 'airtable')
      .where('isMessage', '=', 1)
      .where('state', '!=', 'asking')
      .execute()
  return { ...service, db, send, sendMany, sendFirst, deliver, readStates }
}

describe('25 leads from one network within an hour', () => {
  it('cause 20 texts and notifications, and one message for all reminders', async () => {
    const { clock, sendFirst, sendMany, send, deliver, readStates } = await open()
    await sendFirst()

    await sendMany(20, 24)
    await send('Ann Lee', crowd, 'emergency')
    await send('Real Roof', '198.51.100.4')
    const second = await deliver()
    const headline = '1 EMERGENCY among 6 leads to call by 6:10 AM CST'
    const names = /^Ann Lee, Lead 2\d, Lead 2\d, 3 more$/
    // The lead from another network gets a separate alert.
    const [alone, ...others] = second.texts
    expect(alone).toContain('Real Roof')
    expect(others.map((text) => text.split('\n'))).toEqual([
      [
        `${headline}, many from one internet connection.`,
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
    // The second combined message replaces the first one, so it counts the first one's leads, too.
    expect(third.texts).toEqual([
      expect.stringContaining('1 EMERGENCY among 8 leads to call by 6:10 AM CST'),
    ])
    expect(third.pushes).toHaveLength(1)

    clock.at += 2 * minuteMs
    const reminders = await deliver()
    // One message is about the first 19 leads and the lead from another network, and one is about the other eight
    // leads.
    expect(reminders.texts.map((one) => one.split(' to call')[0])).toEqual([
      '20 leads',
      '1 EMERGENCY among 8 leads',
    ])
    expect(reminders.pushes).toHaveLength(2)
    expect(await readStates()).toEqual([{ state: 'sent' }])
  })

  it('have a link for the first one in the combined message if there is no desk', async () => {
    const { sendFirst, send, deliver } = await open('sqlite', {
      DESK_URL: '',
      PUBLIC_URL: 'https://www.example.com',
    })
    await sendFirst()
    await send('Ann pay.example/now', crowd, 'emergency')
    await send('Lead 21')
    const [text = ''] = (await deliver()).texts
    expect(text.split('\n').at(-1)).toMatch(
      /^I'm calling Ann pay\. ?example\/now: https:\/\/www\.example\.com\/answer\//,
    )
  })

  it('cause another attempt within seconds if the combined message fails', async () => {
    const { clock, twilio, sendFirst, sendMany, deliver, readStates } = await open()
    await sendFirst()
    await sendMany(20, 25)
    twilio.nextFaults.push({ kind: 'error', status: 500, code: 20500 })
    expect((await deliver()).texts).toEqual([])
    clock.at += 10_000
    expect((await deliver()).texts).toEqual([expect.stringContaining('6 leads to call')])
    expect(await readStates()).toEqual([{ state: 'sent' }])
    twilio.statusReads.length = 0
    clock.at += 5_000
    await deliver()
    // Six deliveries share the last text, so it is checked only once.
    expect(twilio.statusReads).toHaveLength(20)
    expect(new Set(twilio.statusReads).size).toBe(20)
  })

  it('cause an email each, and combined messages about leads that nobody has called', async () => {
    const env = { ALERT_EMAIL_TO: 'crew@example.com' }
    const { db, clock, sendMany, deliver, readStates } = await open('sqlite', env)
    const call = async (name: string) => {
      const lead = db.kysely.selectFrom('leads').select('id').where('name', '=', name)
      await record(db, (await lead.executeTakeFirstOrThrow()).id, 'called', { at: clock.at })
    }
    await sendMany(1, 25)
    expect((await deliver()).emails).toBe(25)

    await sendMany(26, 27)
    for (const name of ['Lead 26', 'Lead 27']) await call(name)
    clock.at += 2 * minuteMs
    const called = await deliver()
    expect([called.texts, called.pushes, called.emails]).toEqual([[], [], 2])

    // No text or notification was sent, so the next one does not have to wait.
    await sendMany(28, 30)
    await call('Lead 29')
    const { texts, pushes } = await deliver()
    expect(texts).toEqual([expect.stringMatching(/^8 leads to call /)])
    expect(pushes).toHaveLength(1)
    expect(await readStates()).toEqual(
      expect.arrayContaining([{ state: 'sent' }, { state: 'cancelled' }]),
    )
  })
})
