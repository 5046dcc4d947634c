import { expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { openTestDatabase } from '#testing/database.ts'
import { openChannels } from '#testing/delivery.ts'
import {
  jane,
  listLeads,
  listPendingRecipients,
  promiseFrom,
  storeLead,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { mapRecipients } from '../channels/channels.ts'
import type { Database } from '../store/tables.ts'
import { planDelivery } from './plan.ts'

async function open(db: Database, to: string) {
  const mail = await startFakeMail()
  onTestFinished(() => mail.close())
  const from = 'Roofing <alerts@example.com>'
  const env = makeSettings({ SMTP_URL: mail.url, ALERT_EMAIL_FROM: from, ALERT_EMAIL_TO: to })
  const listReceived = () => mail.mails.map(({ to: [receiver] }) => receiver)
  return { mail, listReceived, ...openChannels(db, env) }
}

it('alerts each recipient once, even if the server rejects another or the list changes', async () => {
  const db = await openTestDatabase('sqlite')
  const first = await open(db, 'one@example.com,two@example.com,ONE@example.com')
  first.mail.settings.refusedReceivers.set('two@example.com', 450)
  const planned = await planDelivery(first.context, { ...jane, ...promiseFrom(first.clock.at) })
  await storeLead(db, { ...planned, stepAt: undefined })
  await first.deliver()
  const recipients = await mapRecipients(first.context)
  const [lead] = await listLeads(db, { limit: 1 })
  const find = (to: string) =>
    lead?.deliveries.find(({ recipient }) => recipients.get(recipient) === to)
  expect(find('one@example.com')).toMatchObject({ state: 'sent' })
  const lastError = 'The mail server rejected the email (EENVELOPE 450 at RCPT TO).'
  expect(find('two@example.com')).toMatchObject({ state: 'waiting', lastError })
  expect(JSON.stringify(first.log.entries)).not.toContain('two@example.com')

  const replaced = await open(db, 'three@example.com')
  await replaced.deliver()
  expect(replaced.listReceived()).toEqual([])

  const reordered = await open(db, 'two@example.com,ONE@example.com')
  reordered.clock.at += 10_000
  await reordered.deliver()
  expect(first.listReceived()).toEqual(['one@example.com'])
  expect(reordered.listReceived()).toEqual(['two@example.com'])
  expect(await listPendingRecipients(db)).toEqual(['airtable'])
})
