import { expect, it } from 'vitest'
import { testLead, testPath } from '#testing/app.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { makeSettings } from '#testing/settings.ts'
import { createService } from './service.ts'
import { countLeads } from './store/reading.ts'

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
