import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { listReceivers } from '../delivery/receivers.ts'
import { findTrouble } from './health.ts'

const variables = {
  AIRTABLE_TOKEN: 'pat.x',
  AIRTABLE_BASE_ID: 'app',
  SMTP_URL: 'smtp://localhost',
  ALERT_EMAIL_FROM: 'site@example.com',
  ALERT_EMAIL_TO: 'a@example.com,b@example.com',
  PUBLIC_URL: 'https://www.example.com',
}

it('is silent when all is well, and says what has failed for five minutes and why', async () => {
  const db = await openTestDatabase('sqlite')
  const env = makeSettings(variables)
  const [a = '', b = ''] = listReceivers(env).map(({ name }) => name)
  await storeLead(db, { channels: ['airtable', a, b, 'email-00000000'] })
  await db.kysely.updateTable('deliveries').set({ last_error: 'It refuses.' }).execute()
  expect(await findTrouble(env, db, testTime + 299_000)).toEqual([])
  expect(await findTrouble(env, db, testTime + 300_000)).toEqual([
    'Airtable takes no leads: 1 waiting, the oldest for 5 minutes. It refuses.',
    'Alerts by e-mail do not arrive: 2 waiting, the oldest for 5 minutes. It refuses.',
  ])
})

it('says what is not set up', async () => {
  const db = await openTestDatabase('sqlite')
  expect(await findTrouble(makeSettings({}), db, testTime)).toEqual([
    expect.stringContaining('Airtable is not set up'),
    expect.stringContaining('No alert is set up'),
  ])
})
