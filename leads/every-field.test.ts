import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createTestApp } from '#testing/app.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { createTestDesk } from '#testing/desk.ts'
import {
  alwaysOpen,
  jane,
  listLeads,
  storedJane,
  testCompany,
  testTime,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { makeCells } from './channels/airtable/columns.ts'
import { describeAlert } from './channels/alert.ts'
import { describeConfirmation } from './channels/confirmation.ts'
import { formatHtml, formatText } from './channels/email-content.ts'
import { describePush } from './channels/push.ts'
import { formatSms } from './channels/sms.ts'
import { webhook } from './channels/webhook.ts'
import { type FieldOutputs, fieldOutputs, readField } from './field-outputs.ts'
import { fieldNames } from './fields.ts'
import { formatAnswerPage } from './http/answer-page.ts'
import { hashLead } from './http/read-lead.ts'
import { leadSchema, type StoredLead } from './lead.ts'
import { formatCsv, readPages } from './reports/csv.ts'
import { describeCard, describeInFull } from './reports/describe.ts'
import { toOneLine } from './safe-text.ts'

const clock = { now: testTime, timeZone: 'UTC' }
const alert = describeAlert(storedJane, 'received', clock)

/** Lists the fields whose values the text contains. Ignores line breaks, which alerts show as spaces. */
const findShown = (text: string) =>
  fieldNames.filter((name) => toOneLine(text).includes(toOneLine(readField(jane, name))))
const alertFields = fieldNames.filter((name) => {
  const { isHiddenInAlerts }: FieldOutputs = fieldOutputs[name]
  return !isHiddenInAlerts
})

it('tests with a lead that has every field', () => {
  expect(Object.values(jane)).not.toContain('')
})

it.each(engines)('stores each field in its column on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  await createTestApp(db).post({}, jane)
  expect(await listLeads(db, { limit: 1 })).toMatchObject([jane])
  const row = await db.kysely.selectFrom('leads').selectAll().executeTakeFirstOrThrow()
  for (const name of fieldNames) expect(row).toHaveProperty(name, jane[name])
})

it('includes each field in the idempotency hash, unless it is empty', () => {
  const hashes = fieldNames.map((name) => hashLead({ ...jane, [name]: `${jane[name]}9` }))
  expect(new Set([hashLead(jane), ...hashes]).size).toBe(fieldNames.length + 1)
  // Adding an optional field must not change the hash of leads without it.
  const required = { name: 'Jane Doe', email: 'jane@example.com', phone: '5551234567' }
  const lead = v.parse(leadSchema, { ...required, address: '1 Main St' })
  expect(hashLead(lead)).toMatch(/^763209381d43380e/)
})

it('puts each field into its Airtable cell and into Raw', () => {
  const cells = makeCells(storedJane)
  for (const name of fieldNames) expect(cells[fieldOutputs[name].label]).toBe(readField(jane, name))
  expect(JSON.parse(cells.Raw ?? '')).toMatchObject(jane)
})

it('shows the fields for alerts in emails and in the text for Slack', async () => {
  for (const text of [formatHtml(alert), formatText(alert), (await sendToWebhook()).text])
    expect(findShown(text)).toEqual(alertFields)
})

it('shows nothing that the visitor typed in an email to the homeowner', () => {
  const context = { company: () => testCompany, hours: () => alwaysOpen, now: () => testTime }
  for (const reason of ['received', 'unreached'] as const) {
    const claimed = { lead: storedJane, reason, attempts: 1 }
    const { subject, text, html } = describeConfirmation(claimed, context)
    for (const part of [subject, text, html])
      for (const typed of ['Jane', ...fieldNames.map((name) => readField(jane, name))])
        expect(part).not.toContain(typed)
  }
})

it('sends the fields in the payload of a webhook', async () => {
  expect((await sendToWebhook()).data.lead).toMatchObject(jane)
})

async function sendToWebhook(lead = storedJane) {
  let body = ''
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = String(init?.body)
    return new Response()
  }
  const env = makeSettings({ ALERT_WEBHOOK_URL: 'https://hook.example' })
  const { context } = createTestContext(await openTestDatabase('sqlite'), env, { fetch })
  await sendThrough(webhook, context, { lead })
  return JSON.parse(body)
}

const formatAnswer = (lead: StoredLead, isFirst = false) =>
  formatAnswerPage(
    describeAlert(lead, 'received', clock),
    { ...lead, events: [], deliveries: [] },
    isFirst,
    clock,
  )

it('shows the fields on the answer page', () => {
  expect(findShown(formatAnswer(storedJane))).toEqual(fieldNames)
})

it.each<[string, (lead: StoredLead) => unknown]>([
  ['the text of an email', (lead) => formatText(describeAlert(lead, 'received', clock))],
  ['an email', (lead) => formatHtml(describeAlert(lead, 'received', clock))],
  ['a text message', (lead) => formatSms(describeAlert(lead, 'received', clock))],
  ['a webhook', sendToWebhook],
  ['a push notification', (lead) => describePush(lead, clock)],
  ['the answer page', formatAnswer],
  ['the answer page after the press', (lead) => formatAnswer({ ...lead, status: 'calling' }, true)],
  ['Airtable', makeCells],
  ['the desk', (lead) => describeCard(lead)],
  [
    'a lead on the desk',
    (lead) =>
      describeInFull({ ...lead, events: [], deliveries: [] }, { ...clock, recipients: new Map() }),
  ],
])('has a way to dial in %s only if there is a phone number', async (_, show) => {
  const dial = /tel:|"canDial":true|"callUrl":"|"Phone":|Call \d/
  const read = async (phone: string) => {
    const shown = await show({ ...storedJane, phone })
    return typeof shown === 'string' ? shown : JSON.stringify(shown)
  }
  expect(await read(jane.phone)).toMatch(dial)
  expect(await read('')).not.toMatch(dial)
})

it('shows the fields on the desk and in the CSV file', async () => {
  const db = await openTestDatabase('sqlite')
  await createTestApp(db).post({}, jane)
  const desk = createTestDesk(db)
  const cookie = await desk.signIn()
  const [lead] = await listLeads(db, { limit: 1 })
  const { json } = await desk.call('GET', `/api/leads/${lead?.id}`, { cookie })
  expect(findShown(JSON.stringify(json.lead.fields).replaceAll('\\n', ' '))).toEqual(fieldNames)
  let csv = ''
  for await (const text of formatCsv(readPages(db), 'UTC')) csv += text
  expect(findShown(csv)).toEqual(fieldNames)
  const labels = fieldNames.map((name) => fieldOutputs[name].label)
  expect(csv.split('\r\n')[0]?.split(',')).toEqual(expect.arrayContaining(labels))
})
