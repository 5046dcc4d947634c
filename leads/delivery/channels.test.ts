import { expect, it, onTestFinished } from 'vitest'
import { startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { startMailStandIn } from '#demo/mail-stand-in.ts'
import { openTestDatabase } from '#testing/database.ts'
import { openChannels } from '#testing/delivery.ts'
import { testTime as start, storeLead } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { readAnswerToken } from '../answer-link.ts'
import type { Lead, LeadOutcome } from '../lead.ts'
import { recordOutcome, reopenLead } from '../store/outcome.ts'
import { countWaiting, listLeads } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { planDelivery } from './plan.ts'
import { kindOf, mapReceivers } from './receivers.ts'
import { resumeWebhook } from './stopped-webhook.ts'
import { listWarnings } from './warnings.ts'

/** The channels of these variables on a database of their own, with a clock that waits move. */
async function open(
  variables: Record<string, string>,
  { fetch = globalThis.fetch, db: given = undefined as Database | undefined } = {},
) {
  const settings = makeSettings(variables)
  const db = given ?? (await openTestDatabase('sqlite'))
  const { clock, log, deliver } = openChannels(db, settings, { fetch })
  const save = (lead: Partial<Lead> = {}) => {
    const plan = planDelivery(settings, [], { suspect: null, serviceType: '' }, clock.at)
    return storeLead(db, { at: clock.at, lead, ...plan })
  }
  /** Of the first receiver, unless it is another's. */
  const readDelivery = async (kind: string, to?: string) =>
    (await listLeads(db, { limit: 1 }))[0]?.deliveries.find(
      ({ channel }) =>
        kindOf(channel) === kind && (!to || mapReceivers(settings).get(channel) === to),
    )
  const warn = async () => listWarnings(settings, db, await countWaiting(db), clock.at)
  return { db, log, clock, settings, save, deliver, readDelivery, warn }
}

async function openMail(to = 'staff@example.com', db?: Database) {
  const mail = await startMailStandIn()
  onTestFinished(() => mail.close())
  const from = 'Roofing <alerts@example.com>'
  const variables = { SMTP_URL: mail.url, ALERT_EMAIL_FROM: from, ALERT_EMAIL_TO: to }
  const opened = await open(variables, { ...(db && { db }) })
  const listReceived = () => mail.mails.map(({ to: [receiver] }) => receiver)
  return { mail, listReceived, ...opened }
}

const both = 'one@example.com,two@example.com,ONE@example.com'
async function openWithOneWaiting() {
  const opened = await openMail(both)
  opened.mail.settings.refusedReceivers.set('two@example.com', 450)
  await opened.save()
  await opened.deliver()
  opened.mail.settings.refusedReceivers.clear()
  return opened
}

it('each receiver is told once, although another’s mailbox refuses', async () => {
  const { deliver, clock, readDelivery, log, listReceived } = await openWithOneWaiting()
  expect(await readDelivery('email', 'one@example.com')).toMatchObject({ state: 'sent' })
  const lastError = 'The mail server refuses the mail (EENVELOPE 450 at RCPT TO).'
  const two = await readDelivery('email', 'two@example.com')
  expect(two).toMatchObject({ state: 'waiting', lastError })
  clock.at += 10_000
  await deliver()
  expect(listReceived()).toEqual(['one@example.com', 'two@example.com'])
  expect(JSON.stringify(log.entries)).not.toContain('two@example.com')
})

it('an alert that waits goes to whom it was for, although the list was turned around', async () => {
  const before = await openWithOneWaiting()
  const after = await openMail('two@example.com,ONE@example.com', before.db)
  after.clock.at = before.clock.at + 60_000
  await after.deliver()
  expect(before.listReceived()).toEqual(['one@example.com'])
  expect(after.listReceived()).toEqual(['two@example.com'])
  expect(await countWaiting(after.db)).toMatchObject([{ channel: 'airtable' }])
})

it('what waits for a receiver who is gone is said, and goes to nobody else', async () => {
  const { db } = await openWithOneWaiting()
  const after = await openMail('three@example.com', db)
  await after.deliver()
  expect(after.listReceived()).toEqual([])
  expect(await after.warn()).toEqual([
    '1 alert waits for a receiver who is gone (email). npm run leads tells which, and how to drop it.',
  ])
})

it('what waited when channels were named by position goes out to who is there now', async () => {
  const { save, deliver, db, warn, listReceived } = await openMail(both)
  const leadId = await save()
  await db.kysely.deleteFrom('deliveries').execute()
  const delivery = { lead_id: leadId, occasion: 'received' as const, state: 'waiting' as const }
  const times = { attempts: 3, next_attempt_at: start, created_at: start, leased_until: 0 }
  const former = ['email', 'email-2', 'email-3']
  const values = former.map((channel) => ({ ...delivery, ...times, channel }))
  await db.kysely.insertInto('deliveries').values(values).execute()
  await deliver()
  expect(listReceived().sort()).toEqual(['one@example.com', 'two@example.com'])
  expect(await countWaiting(db)).toMatchObject([{ channel: 'email-3', waiting: 1 }])
  expect(await warn()).toContainEqual(expect.stringMatching(/1 alert waits .* gone \(email-3\)/))
})

it('an alert is retried every half minute while it is young, says that it is late, and has a link', async () => {
  const { mail, save, deliver, clock, readDelivery, warn, settings } = await openMail()
  mail.settings.refuseData = 554
  const leadId = await save()
  let triedAt = 0
  for (let at = 0; at < 5; at++) {
    triedAt = clock.at
    await deliver()
    clock.at = (await readDelivery('email'))?.nextAttemptAt ?? 0
  }
  expect(clock.at - triedAt).toBe(30_000)
  const lags = expect.stringMatching(/^email lags: 1 wait, the oldest for \d+ s\.$/)
  expect(await warn()).toEqual([lags])
  clock.at = start + 3 * 3_600_000
  mail.settings.refuseData = undefined
  await deliver()
  const { subject, text = '' } = mail.mails[0] ?? {}
  expect(subject).toBe('Call Jane Doe now: asked 3 hours ago')
  expect(text).toContain('This alert is late: the request came 3 hours ago.')
  const token = text.match(/https:\/\/www\.example\.com\/answer\/(\S+)/)?.[1] ?? ''
  const read = readAnswerToken(token, settings.linkSecret ?? '', clock.at)
  expect(read).toEqual({ kind: 'valid', leadId })
  expect(await warn()).toEqual([])
})

/** A webhook that answers with the status it is told, by what it is sent. */
async function openWebhook(answer: (body: string) => number) {
  const bodies: string[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    bodies.push(String(init?.body))
    return new Response(null, { status: answer(String(init?.body)) })
  }
  return { bodies, ...(await open({ ALERT_WEBHOOK_URL: 'https://hook.example' }, { fetch })) }
}

it('410 ends the sending until the owner acts, and says so', async () => {
  let status = 410
  const { bodies, save, deliver, clock, readDelivery, warn, db } = await openWebhook(() => status)
  await save()
  await deliver()
  clock.at += 3_600_000
  await save()
  await deliver()
  expect(bodies).toHaveLength(1)
  const lastError = expect.stringContaining('410 Gone')
  expect(await readDelivery('webhook')).toMatchObject({ state: 'waiting', lastError })
  expect(await warn()).toContainEqual(expect.stringContaining('ALERT_WEBHOOK_URL'))
  // What `leads retry all` does.
  await resumeWebhook(db)
  status = 204
  clock.at += 3_600_000
  await deliver()
  await deliver()
  expect(bodies).toHaveLength(3)
  expect(await warn()).toEqual([])
})

it('a webhook that refuses three leads beside twenty good ones: theirs alone, and no outage', async () => {
  const isBad = (body: string) => body.includes('Bad Lead')
  const { bodies, save, deliver, clock, log } = await openWebhook((body) =>
    isBad(body) ? 400 : 200,
  )
  for (let at = 0; at < 20; at++) {
    if (at < 3) await save({ name: `Bad Lead ${at}` })
    await save()
    await deliver()
    clock.at += 5_000
  }
  // In 100 s each is tried after 5, 10, 20 and 30 s, and once more with the first success.
  expect(bodies.filter(isBad).length).toBeLessThanOrEqual(3 * 7)
  const said = log.entries.map(({ message }) => message).filter((text) => text !== 'delivered')
  expect(said).toEqual(Array(3).fill('not delivered yet: it will be retried'))
})

it('a row in Airtable is settled as there; what its Status waits for holds up nobody', async () => {
  const standIn = await startAirtableStandIn({ requestsPerWindow: 1000 })
  onTestFinished(() => standIn.close())
  const { save, deliver, clock, db } = await open(standIn.env)
  const readStates = async () =>
    (await listLeads(db, { limit: 1 }))[0]?.deliveries.map((one) => `${one.occasion} ${one.state}`)
  await save()
  standIn.nextFaults.push(undefined, { kind: 'html', status: 502 })
  await deliver()
  expect(await readStates()).toEqual(['received sent', 'status waiting'])
  clock.at += 5_000
  await deliver()
  expect(await readStates()).toEqual(['received sent', 'status sent'])
  expect(standIn.records.map(({ fields }) => fields.Status)).toEqual(['New'])
})

it('what became of a lead is its Status in Airtable, unless staff chose another there', async () => {
  const standIn = await startAirtableStandIn({ requestsPerWindow: 1000 })
  onTestFinished(() => standIn.close())
  const { save, deliver, clock, db } = await open(standIn.env)
  const [first = '', second = ''] = [await save(), await save({ name: 'Not Anybody' })]
  const record = async (id: string, outcome: LeadOutcome | null) => {
    clock.at += 60_000
    if (outcome) await recordOutcome(db, id, { outcome, person: 'Sam', now: clock.at })
    else await reopenLead(db, id, { remindAt: clock.at, now: clock.at })
    await deliver()
  }
  const readStatuses = () =>
    [first, second]
      .map((id) => standIn.records.find(({ fields }) => fields['Lead ID'] === id))
      .map((row) => row?.fields.Status)
  await deliver()
  await record(first, 'done')
  await record(second, 'not-a-lead')
  expect(readStatuses()).toEqual(['Done', 'Not a lead'])
  await record(second, 'done')
  expect(readStatuses()).toEqual(['Done', 'Done'])
  await record(second, null)
  expect(readStatuses()).toEqual(['Done', 'New'])
  const row = standIn.records.find(({ fields }) => fields['Lead ID'] === first)
  if (row) row.fields.Status = 'Won'
  await record(first, 'not-a-lead')
  expect(readStatuses()).toEqual(['Won', 'New'])
  expect(await countWaiting(db)).toEqual([])
})
