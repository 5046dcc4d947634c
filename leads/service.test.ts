import { expect, it } from 'vitest'
import { testLead, testPath } from '#testing/app.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { makePhone } from '#testing/phones.ts'
import { testTime } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { createService } from './service.ts'
import { saveDevice } from './store/push-devices.ts'
import { countLeads } from './store/reading.ts'

it('does not say that nobody is told where a phone rings', async () => {
  const db = await openTestDatabase('sqlite')
  let at = testTime
  const { app, findNotSetUp } = createService({
    ...{ env: makeSettings({}), db, fetch, now: () => at, log: createTestLog(), wake: () => {} },
    findClientAddress: () => '203.0.113.7',
  })
  const look = async () => {
    at += 10_000
    const health = await (await app.request('/healthz')).text()
    const atStart = (await findNotSetUp()).join()
    return [health, atStart].map((text) => text.includes('No alert is set up'))
  }
  expect(await look()).toEqual([true, true])
  await saveDevice(db, makePhone({ ringsFrom: 4 }))
  expect(await look()).toEqual([true, true])
  await saveDevice(db, makePhone())
  expect(await look()).toEqual([false, false])
})

it('stores leads where a newer function meets a database that is not migrated yet', async () => {
  const db = await openTestDatabase('sqlite')
  await db.kysely.schema.dropTable('push_devices').execute()
  const log = createTestLog()
  const { app } = createService({
    ...{ env: makeSettings(), db, fetch, now: Date.now, log, wake: () => {} },
    findClientAddress: () => '203.0.113.7',
  })
  const sent = await app.request(testPath, {
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
    body: JSON.stringify(testLead),
  })
  expect(sent.status).toBe(200)
  expect(await countLeads(db)).toBe(1)
  expect(log.entries.map(({ message }) => message)).toContain(
    'no new phone rings: see the database',
  )
})
