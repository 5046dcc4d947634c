import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openChannels, readDeliveries } from '#testing/delivery.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { nameRecipients } from '../channels/channel.ts'
import { findLead } from '../store/reading.ts'
import { recordAnswer } from '../store/reminders.ts'
import type { Database, Engine } from '../store/tables.ts'

const staff = ['+15550002222', '+15550003333']
const boss = '+15550004444'
const textChannels = nameRecipients('sms', staff).map(({ name }) => name)

async function open(
  engine: Engine,
  { stalls = false, ...options }: Parameters<typeof startFakeTwilio>[0] & { stalls?: boolean } = {},
) {
  const db = await openTestDatabase(engine)
  const clock = { at: testTime }
  const twilio = await startFakeTwilio({
    now: () => (stalls ? testTime : clock.at),
    ...options,
  })
  onTestFinished(() => twilio.close())
  const recipients = { ALERT_SMS_TO: staff.join(','), ESCALATION_SMS_TO: boss }
  const env = makeSettings({ ...twilio.env, ...recipients })
  const startProcess = (given: Parameters<typeof openChannels>[2] = {}) =>
    openChannels(db, env, { clock, ...given })
  const { deliver } = startProcess()
  const runAt = async (...seconds: number[]) => {
    for (const second of seconds) {
      clock.at = testTime + second * 1000
      await deliver()
    }
  }
  const listReminders = async (leadId: string) =>
    ((await findLead(db, leadId))?.deliveries ?? [])
      .filter(({ reason }) => reason !== 'received')
      .map(({ reason, dueAt }) => `${reason} at ${(dueAt - testTime) / 1000} s`)
  return { db, clock, twilio, startProcess, runAt, listReminders }
}

/** Records an alert that has arrived, such as a push notification. */
const markArrived = ({ kysely }: Database, leadId: string, channel: string) =>
  kysely
    .insertInto('deliveries')
    .values({
      ...{ lead_id: leadId, channel, reason: 'received', state: 'sent', attempts: 1 },
      ...{ next_attempt_at: 0, leased_until: 0, due_at: testTime, settled_at: testTime },
      arrived_at: testTime,
    })
    .execute()

const storeText = (db: Database, channels = textChannels.slice(0, 1)) => storeLead(db, { channels })

describe.each(engines)('texts on %s', (engine) => {
  it('are checked by only one of two processes, ten at a time', async () => {
    const { db, clock, startProcess, runAt, twilio } = await open(engine)
    for (let count = 0; count < 15; count++) await storeText(db)
    await runAt(0)
    clock.at = testTime + 5_000
    let mostAtOnce = 0
    let asking = 0
    const countingFetch: typeof fetch = async (...given) => {
      mostAtOnce = Math.max(mostAtOnce, ++asking)
      return fetch(...given).finally(() => {
        asking -= 1
      })
    }
    const processes = [startProcess({ fetch: countingFetch }), startProcess()]
    await Promise.all(processes.map(({ deliver }) => deliver()))
    expect(new Set(twilio.statusReads).size).toBe(15)
    expect(twilio.statusReads).toHaveLength(15)
    expect(mostAtOnce).toBeLessThanOrEqual(10)
  })

  it('are checked by another process after a kill between sent and arrived', async () => {
    const { db, clock, startProcess, runAt } = await open(engine)
    await storeText(db)
    await runAt(0)
    clock.at = testTime + 5_000
    const asked = Promise.withResolvers<void>()
    const killed = startProcess({
      fetch: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    })
    void killed.deliver()
    await asked.promise
    await runAt(34)
    expect(await readDeliveries(db)).toMatchObject([{ state: 'sent', arrivedAt: null }])
    await runAt(35)
    expect(await readDeliveries(db)).toMatchObject([{ arrivedAt: testTime + 35_000 }])
  })

  it('send only the first reminder early, and only once, if they fail', async () => {
    const { db, runAt, twilio, listReminders } = await open(engine, {
      chooseErrorCode: () => 30034,
    })
    const leadId = await storeText(db, textChannels)
    await markArrived(db, leadId, 'airtable')
    await markArrived(db, leadId, 'confirmation')
    await runAt(0, 5, 15, 60, 240, 300, 480, 600, 900)
    expect(await listReminders(leadId)).toEqual([
      'unanswered-4 at 15 s',
      'unanswered-8 at 480 s',
      'missed at 600 s',
    ])
    expect(twilio.messages.map(({ to }) => to).sort()).toEqual([...staff, boss, boss, boss])
    expect(twilio.messages[2]?.body).toContain('Nobody has called Jane Doe yet (10 minutes left).')
    const failed = (await readDeliveries(db)).find(({ channel }) => channel === textChannels[0])
    expect(failed).toMatchObject({
      ...{ state: 'failed', settledAt: testTime, arrivedAt: null, checkAt: null },
      lastError: expect.stringContaining('not registered'),
    })
  })

  it('send no early reminder if a push arrived, someone is calling, or it is too late', async () => {
    const { db, runAt, listReminders } = await open(engine, { chooseErrorCode: () => 30006 })
    const pushed = await storeText(db)
    const answered = await storeText(db)
    await markArrived(db, pushed, 'push-0a1b2c3d')
    await runAt(0)
    await recordAnswer(db, answered, { answeredAt: testTime, answeredBy: 'link', now: testTime })
    await runAt(15, 239)
    expect(await listReminders(pushed)).toEqual([])
    expect(await listReminders(answered)).toEqual(['answered at 0 s'])
    // The text is sent together with the first reminder.
    const late = await storeText(db)
    await runAt(240, 255)
    expect(await listReminders(late)).toEqual(['unanswered-4 at 240 s'])
  })

  it('show every late failure (20 of 100 leads), and remind nobody twice', async () => {
    const failing = (at: number) => at % 5 === 0
    const { db, clock, twilio, startProcess, listReminders } = await open(engine, {
      chooseErrorCode: ({ to, body }) =>
        to !== boss && failing(Number(body.match(/Lead(\d+)/)?.[1])) ? 30034 : undefined,
    })
    const ids: string[] = []
    for (let at = 0; at < 100; at++) {
      const id = await storeLead(db, {
        channels: textChannels.slice(0, 1),
        lead: { name: `Lead${at}` },
      })
      if (at % 10 === 0) await markArrived(db, id, 'push-0a1b2c3d')
      ids.push(id)
    }
    const runBoth = async (second: number) => {
      clock.at = testTime + second * 1000
      // New processes, as if both had restarted since.
      const processes = [startProcess(), startProcess()]
      await Promise.all(processes.map(({ deliver }) => deliver()))
    }
    for (const second of [0, 5, 15]) await runBoth(second)
    for (const [at, id] of ids.entries()) {
      const text = (await findLead(db, id))?.deliveries.find(
        ({ channel }) => channel === textChannels[0],
      )
      expect(text?.state).toBe(failing(at) ? 'failed' : 'sent')
      expect(text?.arrivedAt).toBe(failing(at) ? null : clock.at)
      if (failing(at)) expect(text?.lastError).toContain('Twilio error code 30034.')
      const isReminded = failing(at) && at % 10 !== 0
      expect(await listReminders(id)).toEqual(isReminded ? ['unanswered-4 at 15 s'] : [])
    }
    for (const second of [20, 240, 240]) await runBoth(second)
    const reminded = twilio.messages.filter(({ to }) => to === boss).map(({ body }) => body)
    expect(reminded).toHaveLength(100)
    expect(new Set(reminded.map((body) => body.match(/Lead\d+/)?.[0])).size).toBe(100)
  })
})

it('asks about a text for five minutes, and then leaves it as sent', async () => {
  const { db, runAt, twilio } = await open('sqlite', { stalls: true })
  await storeText(db)
  const reads = []
  for (const second of [0, 4.999, 5, 14.999, 15, 59.999, 60, 239, 299.999, 300, 900]) {
    await runAt(second)
    reads.push(twilio.statusReads.filter((path) => path.includes(twilio.messages[0]?.sid ?? '-')))
  }
  expect(reads.map(({ length }) => length)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4])
  expect((await readDeliveries(db))[0]).toMatchObject({
    ...{ state: 'sent', arrivedAt: null, checkAt: null },
  })
})

it('records when a text arrived, and does not ask again', async () => {
  const { db, runAt, twilio } = await open('sqlite')
  await storeText(db)
  await runAt(0, 5, 15, 60)
  expect(await readDeliveries(db)).toMatchObject([
    { state: 'sent', settledAt: testTime, arrivedAt: testTime + 15_000, checkAt: null },
  ])
  expect(twilio.statusReads).toHaveLength(2)
})

it('sends while Twilio is slow to answer, and ignores an erased lead', async () => {
  const { db, clock, startProcess, runAt, twilio } = await open('sqlite', {
    chooseErrorCode: () => 30034,
  })
  const leadId = await storeText(db)
  await runAt(0)
  clock.at = testTime + 15_000
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const { deliver } = startProcess({
    fetch: async (url, init) => {
      if (init?.method !== 'POST') {
        asked.resolve()
        await answer.promise
      }
      return fetch(url, init)
    },
  })
  const delivered = deliver()
  await asked.promise
  await storeText(db)
  void deliver()
  await expect.poll(() => twilio.messages.length).toBe(2)
  await db.kysely.deleteFrom('leads').where('id', '=', leadId).execute()
  answer.resolve()
  await delivered
  expect(await findLead(db, leadId)).toBeUndefined()
  expect(await readDeliveries(db)).toMatchObject([{ state: 'sent' }])
})

it('continues once the database is available again', async () => {
  const { db, clock, startProcess, runAt } = await open('sqlite')
  await storeText(db)
  await runAt(0)
  clock.at = testTime + 15_000
  const { deliver, log } = startProcess()
  await sql`alter table deliveries rename to unavailable`.execute(db.kysely)
  await deliver()
  await sql`alter table unavailable rename to deliveries`.execute(db.kysely)
  await deliver()
  expect(log.entries.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'cannot check whether messages arrived; the database is unavailable',
      'can again check whether messages arrived',
    ]),
  )
  expect(await readDeliveries(db)).toMatchObject([{ arrivedAt: clock.at }])
})
