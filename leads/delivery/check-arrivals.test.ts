import { expect, it, onTestFinished } from 'vitest'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openChannels, readDeliveries } from '#testing/delivery.ts'
import { makeStranger, record, storeLead, testTime } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { nameRecipients } from '../channels/channel-type.ts'
import { findLead } from '../store/find-leads.ts'
import type { Database, Engine } from '../store/tables.ts'

const crew = ['+15550002222', '+15550003333']
const boss = '+15550004444'
const textRecipients = nameRecipients('sms', crew).map(({ name }) => name)
const text = textRecipients[0] ?? ''

async function open({
  engine = 'sqlite' as Engine,
  stalls = false,
  ...options
}: Parameters<typeof startFakeTwilio>[0] & { engine?: Engine; stalls?: boolean } = {}) {
  const db = await openTestDatabase(engine)
  const clock = { at: testTime }
  const twilio = await startFakeTwilio({
    now: () => (stalls ? testTime : clock.at),
    ...options,
  })
  onTestFinished(() => twilio.close())
  const recipients = { ALERT_SMS_TO: crew.join(','), ESCALATION_SMS_TO: boss }
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
  /** Counts the status checks of the first text. */
  const countReads = () =>
    twilio.statusReads.filter((path) => path.includes(twilio.messages[0]?.sid ?? '-')).length
  return { db, clock, twilio, startProcess, runAt, listReminders, countReads }
}

/** Records that the alerts to these recipients have arrived. */
function markArrived({ kysely }: Database, ...recipients: string[]) {
  const arrived = { state: 'sent', settledAt: testTime, arrivedAt: testTime } as const
  return kysely
    .updateTable('deliveries')
    .set(arrived)
    .where('recipient', 'in', recipients)
    .execute()
}

const storeText = (db: Database, recipients = [text]) => storeLead(db, { recipients })

it.each(engines)('checks each text once with two processes, on %s', async (engine) => {
  const { db, clock, twilio, startProcess } = await open({ engine })
  // Emergencies get a text each.
  const lead = { serviceType: 'emergency' as const }
  for (let at = 0; at < 12; at++) await storeLead(db, { recipients: [text], lead })
  let asking = 0
  let mostAtOnce = 0
  const countingFetch: typeof fetch = async (...given) => {
    mostAtOnce = Math.max(mostAtOnce, ++asking)
    return fetch(...given).finally(() => {
      asking -= 1
    })
  }
  for (const second of [0, 5]) {
    clock.at = testTime + second * 1000
    const processes = [startProcess({ fetch: countingFetch }), startProcess()]
    await Promise.all(processes.map(({ deliver }) => deliver()))
  }
  expect(twilio.statusReads).toHaveLength(12)
  expect(new Set(twilio.statusReads).size).toBe(12)
  expect(mostAtOnce).toBeLessThanOrEqual(10)
})

it.each(engines)('sends only the first reminder early if texts fail, on %s', async (engine) => {
  const { db, runAt, twilio, listReminders } = await open({
    engine,
    chooseErrorCode: () => 30034,
  })
  const leadId = await storeText(db, [...textRecipients, 'airtable', 'confirmation'])
  await markArrived(db, 'airtable', 'confirmation')
  await runAt(0, 5, 15, 60, 240, 300, 480, 600, 900)
  expect(await listReminders(leadId)).toEqual([
    'uncalled-4 at 15 s',
    'uncalled-8 at 480 s',
    'missed at 600 s',
  ])
  expect(twilio.messages.map(({ to }) => to).sort()).toEqual([...crew, boss, boss, boss])
  expect(twilio.messages[2]?.body).toContain('Nobody has called Jane Doe yet (10 minutes left).')
  const texts = (await readDeliveries(db)).filter(({ recipient }) => recipient.startsWith('sms'))
  expect(texts.filter(({ reason }) => reason !== 'received').map(({ state }) => state)).toEqual([
    'failed',
    'failed',
    'failed',
  ])
  const failed = (await readDeliveries(db)).find(({ recipient }) => recipient === text)
  expect(failed).toMatchObject({
    state: 'failed',
    settledAt: testTime,
    arrivedAt: null,
    lastError: expect.stringContaining('isn’t registered'),
  })
})

it('sends no early reminder if a push arrived, someone is calling, or it is too late', async () => {
  const { db, runAt, listReminders } = await open({ chooseErrorCode: () => 30006 })
  const pushed = await storeText(db, [text, 'push-0a1b2c3d'])
  const called = await storeLead(db, { recipients: [text], lead: makeStranger() })
  await markArrived(db, 'push-0a1b2c3d')
  await runAt(0)
  await record(db, called, 'called')
  await runAt(15, 239)
  expect(await listReminders(pushed)).toEqual([])
  expect(await listReminders(called)).toEqual(['called at 0 s'])
  // This text is sent 4 minutes late, together with the first reminder.
  const late = await storeText(db)
  await runAt(240, 255)
  expect(await listReminders(late)).toEqual(['uncalled-4 at 240 s'])
})

it('checks a text for five minutes, and then leaves it as sent', async () => {
  const { db, runAt, countReads } = await open({ stalls: true })
  await storeText(db)
  const reads: number[] = []
  for (const second of [0, 4.999, 5, 14.999, 15, 59.999, 60, 239, 299.999, 300, 900]) {
    await runAt(second)
    reads.push(countReads())
  }
  expect(reads).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4])
  const [text] = await readDeliveries(db)
  expect(text).toMatchObject({ state: 'sent', arrivedAt: null })
})
