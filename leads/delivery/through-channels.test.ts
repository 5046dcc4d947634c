import { expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { openTestDatabase } from '#testing/database.ts'
import { openChannels } from '#testing/delivery.ts'
import {
  alwaysOpen,
  jane,
  listLeads,
  listPendingChannels,
  promiseFrom,
  testTime as start,
  storeLead,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { readAnswerToken } from '../answer-link.ts'
import { findChannel, mapRecipients } from '../channels/channels.ts'
import type { Lead } from '../fields.ts'
import { limits } from '../health/checks.ts'
import { examine } from '../health/examine.ts'
import type { Database } from '../store/tables.ts'
import { planDelivery } from './plan.ts'

/** Opens the channels of these variables with a clock that only pauses advance. */
async function open(
  variables: Record<string, string>,
  { fetch = globalThis.fetch, db: given = undefined as Database | undefined } = {},
) {
  const settings = makeSettings(variables)
  const db = given ?? (await openTestDatabase('sqlite'))
  const { context, clock, log, deliver } = openChannels(db, settings, { fetch })
  const save = async (lead: Partial<Lead> = {}) => {
    const planned = { ...jane, ...lead, ...promiseFrom(clock.at) }
    const { channels } = await planDelivery(context, planned)
    return storeLead(db, { at: clock.at, lead, channels, escalateAt: undefined })
  }
  /** Returns the delivery to the given or first recipient. */
  const readDelivery = async (kind: string, to?: string) => {
    const recipients = await mapRecipients(context)
    return (await listLeads(db, { limit: 1 }))[0]?.deliveries.find(
      ({ channel }) =>
        findChannel(channel)?.kind === kind && (!to || recipients.get(channel) === to),
    )
  }
  const warn = async () =>
    (await examine('healthz', { env: settings, hours: alwaysOpen, db, now: () => clock.at })).map(
      ({ id }) => id,
    )
  return { db, log, clock, settings, save, deliver, readDelivery, warn }
}

async function openMail(to = 'staff@example.com', db?: Database) {
  const mail = await startFakeMail()
  onTestFinished(() => mail.close())
  const from = 'Roofing <alerts@example.com>'
  const variables = { SMTP_URL: mail.url, ALERT_EMAIL_FROM: from, ALERT_EMAIL_TO: to }
  const opened = await open(variables, { ...(db && { db }) })
  const listReceived = () => mail.mails.map(({ to: [receiver] }) => receiver)
  return { mail, listReceived, ...opened }
}

it('alerts each recipient once, even if the server rejects another or the list changes', async () => {
  const first = await openMail('one@example.com,two@example.com,ONE@example.com')
  first.mail.settings.refusedReceivers.set('two@example.com', 450)
  await first.save()
  await first.deliver()
  expect(await first.readDelivery('email', 'one@example.com')).toMatchObject({ state: 'sent' })
  const lastError = 'The mail server rejected the email (EENVELOPE 450 at RCPT TO).'
  const two = await first.readDelivery('email', 'two@example.com')
  expect(two).toMatchObject({ state: 'waiting', lastError })
  expect(JSON.stringify(first.log.entries)).not.toContain('two@example.com')

  const replaced = await openMail('three@example.com', first.db)
  await replaced.deliver()
  expect(replaced.listReceived()).toEqual([])
  replaced.clock.at += 3_600_000
  expect(await replaced.warn()).toEqual(['airtable-not-set-up', 'no-alerts'])

  const reordered = await openMail('two@example.com,ONE@example.com', first.db)
  reordered.clock.at += 10_000
  await reordered.deliver()
  expect(first.listReceived()).toEqual(['one@example.com'])
  expect(reordered.listReceived()).toEqual(['two@example.com'])
  expect(await listPendingChannels(first.db)).toEqual(['airtable'])
})

it('retries a new alert every 30 s, and marks it as late', async () => {
  const { db, mail, save, deliver, clock, readDelivery, warn, settings } = await openMail()
  mail.settings.refuseData = 554
  const leadId = await save()
  await db.kysely.updateTable('deliveries').set({ attempts: 9 }).execute()
  await deliver()
  expect((await readDelivery('email'))?.nextAttemptAt).toBe(clock.at + 30_000)
  clock.at = start + limits.alertLateMs + 1
  expect(await warn()).toContain('email-late')
  clock.at = start + 3 * 3_600_000
  mail.settings.refuseData = undefined
  await deliver()
  const { subject, text = '' } = mail.mails[0] ?? {}
  expect(subject).toBe('Call Jane Doe now: requested 3 hours ago')
  expect(text).toContain('This alert is late. The request came in 3 hours ago.')
  const token = text.match(/https:\/\/www\.example\.com\/answer\/(\S+)/)?.[1] ?? ''
  const read = readAnswerToken(token, settings.linkSecret ?? '', clock.at)
  expect(read).toEqual({ kind: 'valid', leadId })
  expect(await warn()).not.toContain('email-late')
})

it('retries a webhook after a 410, like after any other failure', async () => {
  let status = 410
  const fetch: typeof globalThis.fetch = async () => new Response(null, { status })
  const variables = { ALERT_WEBHOOK_URL: 'https://hook.example' }
  const { save, deliver, clock, readDelivery, warn } = await open(variables, { fetch })
  await save()
  await deliver()
  clock.at += 3_600_000
  const lastError = 'The webhook returned 410.'
  expect(await readDelivery('webhook')).toMatchObject({ state: 'waiting', lastError })
  expect(await warn()).toContain('webhook-late')
  status = 204
  await deliver()
  expect(await readDelivery('webhook')).toMatchObject({ state: 'sent' })
})
