import { expect, it } from 'vitest'
import { testLead, testPath } from '#testing/app.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import {
  alwaysOpen,
  testCompany as company,
  listLeads,
  savePhone,
  testTime,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { createContext } from './context.ts'
import { createService } from './service.ts'

const log = createTestLog()
const given = {
  env: makeSettings(),
  hours: () => alwaysOpen,
  company: () => company,
  fetch,
  log,
}
const options = {
  wake: () => {},
  readClientAddress: () => '203.0.113.7',
  mayShareAddress: () => false,
}
const headers = { apikey: 'public-anon-key', 'content-type': 'application/json' }
const request = (lead = testLead) => ({ method: 'POST', headers, body: JSON.stringify(lead) })

it('updates the warnings in /healthz', async () => {
  const db = await openTestDatabase('sqlite')
  let at = testTime
  const { app } = createService(createContext({ ...given, db, now: () => at }), options)
  const readHealth = async () => {
    at += 10_000
    return (await app.request('/healthz')).json()
  }
  const warnings = ['no-alerts']
  expect(await readHealth()).toEqual({ ok: true, warnings })
  await savePhone(db)
  expect(await readHealth()).toEqual({ ok: true, warnings: [] })
  await db.kysely.schema.dropTable('confirmationLimits').execute()
  expect(await readHealth()).toEqual({
    ok: false,
    warnings: ['database-fault'],
  })
})

it('stores the first lead and notifies phones even if they can no longer be read', async () => {
  const db = await openTestDatabase('sqlite')
  await savePhone(db)
  const { app } = createService(createContext({ ...given, db, now: () => testTime }), options)
  await db.kysely.schema.dropTable('pushDevices').execute()
  const sent = await app.request(testPath, request())
  expect(sent.status).toBe(200)
  const [lead] = await listLeads(db, { limit: 1 })
  expect(lead?.deliveries.map(({ recipient }) => recipient)).toEqual(['airtable', 'push-0a1b2c3d'])
  expect(await (await app.request('/healthz')).json()).toMatchObject({
    ok: true,
    warnings: ['database-fault'],
  })
  expect(log.entries.map(({ message }) => message)).toContain(
    'cannot read push devices; recently added devices get no notifications',
  )
})
