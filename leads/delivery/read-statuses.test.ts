import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext } from '#testing/delivery.ts'
import {
  listLeads,
  listPendingRecipients,
  makeStranger,
  promiseFrom,
  savePhone,
  storeLead,
  testTime,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { removeDevice } from '../store/push-devices.ts'
import { hourMs, minuteMs } from '../time-units.ts'
import { remindDue } from './remind.ts'

type Answer = (leadIds: readonly string[]) => Promise<Response> | Response

/**
 * Sets the clock to the time of the leads' first reminder. `remind` takes the due steps and returns how many times
 * Airtable has been read so far.
 */
async function open(answer: Answer, { leads = 1 } = {}) {
  const db = await openTestDatabase('sqlite')
  for (let stored = 0; stored < leads; stored++)
    await storeLead(db, { recipients: [], lead: makeStranger() })
  const env = makeSettings({ AIRTABLE_TOKEN: 'pat', AIRTABLE_BASE_ID: 'app' })
  let reads = 0
  const fetch = async (url: string | URL | Request) => {
    reads += 1
    return answer(
      [...decodeURIComponent(String(url)).matchAll(/'(.+?)'/g)].map(([, id]) => id ?? ''),
    )
  }
  const clock = { at: testTime + 4 * minuteMs }
  const { context } = createTestContext(db, env, { clock, fetch })
  const remind = async () => {
    await remindDue(context)
    return reads
  }
  return { db, clock, context, remind }
}

const listRows = (leadIds: readonly string[], Status = 'New') =>
  Response.json({
    records: leadIds.map((id) => ({ id: `rec${id}`, fields: { 'Lead ID': id, Status } })),
  })

it('does not read Airtable for a lead about which nobody would be alerted', async () => {
  const { db, remind } = await open(listRows)
  await savePhone(db, { schedule: 'off' })
  expect(await remind()).toBe(0)
})

it('alerts the phones that are signed in once Airtable has responded', async () => {
  const { db, remind } = await open(async (leadIds) => {
    await removeDevice(db, 'leaves00')
    await savePhone(db, { id: 'arrives0', sessionId: 'arrives' })
    return listRows(leadIds)
  })
  await savePhone(db, { id: 'leaves00', sessionId: 'leaves' })
  expect(await remind()).toBe(1)
  expect(await listPendingRecipients(db)).toEqual(['push-arrives0'])
})

it('alerts the phones although the clock was set back while Airtable responded', async () => {
  const { db, clock, remind } = await open(
    (leadIds) => {
      clock.at = testTime - 2_000
      return listRows(leadIds)
    },
    { leads: 0 },
  )
  await savePhone(db)
  clock.at = testTime + 500
  await storeLead(db, {
    at: testTime - hourMs,
    recipients: [],
    ...promiseFrom(testTime),
    stepAt: testTime,
  })
  await remind()
  expect(await listPendingRecipients(db)).toEqual(['push-0a1b2c3d'])
})

it('uses the Statuses that it read before Airtable failed, and reminds about the other leads', async () => {
  let reads = 0
  const { db, remind } = await open(
    (leadIds) => (reads++ === 0 ? listRows(leadIds, 'Called') : Response.json({}, { status: 500 })),
    { leads: 51 },
  )
  await savePhone(db)
  expect(await remind()).toBe(2)
  const uncalled = (await listLeads(db, { limit: 60 })).filter(({ status }) => status === 'open')
  expect(uncalled).toMatchObject([{ deliveries: [{ reason: 'uncalled-4' }] }])
})
