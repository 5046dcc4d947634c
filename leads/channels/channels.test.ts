import { expect, it, onTestFinished } from 'vitest'
import { startFakeAirtable } from '#fakes/airtable.ts'
import { startFakeMail } from '#fakes/mail.ts'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { startFakeTwilio } from '#fakes/twilio.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { savePhone, storedJane } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { ReasonKind } from '../delivery-reason.ts'
import { type Field, fieldNames, leadFields } from '../fields.ts'
import type { StoredLead } from '../lead.ts'
import type { ChannelKind } from '../settings.ts'
import type { Channel } from './channel-type.ts'
import { channels } from './channels.ts'

/** `listTexts` returns the sent messages in which an app may turn words into links. */
type Sample = { env: Record<string, string>; listTexts: () => string[] }

async function openAll() {
  const [airtable, mail, twilio, push] = await Promise.all([
    startFakeAirtable({ requestsPerWindow: 1000 }),
    startFakeMail(),
    startFakeTwilio(),
    startFakePush(),
  ])
  onTestFinished(async () => {
    await Promise.all([airtable, mail, twilio, push].map((fake) => fake.close()))
  })
  const calls: { url: URL; init: RequestInit | undefined }[] = []
  const webhookBodies: string[] = []
  const listMails = (receiver: string) =>
    mail.mails
      .filter(({ to }) => to.includes(receiver))
      .flatMap(({ subject, text, html }) => [subject, text, html])
  const samples: Record<ChannelKind, Sample> = {
    // Airtable shows the visitor's text as plain text.
    airtable: { env: airtable.env, listTexts: () => [] },
    email: { env: mail.env, listTexts: () => listMails('crew@example.com') },
    confirmation: {
      env: { CONFIRMATION_EMAIL: 'on' },
      listTexts: () => listMails(storedJane.email),
    },
    sms: {
      env: { ...twilio.env, ALERT_SMS_TO: '+15550002222' },
      listTexts: () => twilio.messages.map(({ body }) => body),
    },
    webhook: {
      env: { ALERT_WEBHOOK_URL: 'https://hooks.example/one?two=3' },
      listTexts: () => webhookBodies.map((body) => JSON.parse(body).text),
    },
    push: {
      env: { PUSH_SERVICES: pushHost },
      listTexts: () =>
        push.messages.flatMap(({ data: { notification } }) => [
          notification.title,
          notification.body,
        ]),
    },
  }
  const db = await openTestDatabase('sqlite')
  const { endpoint, keys } = push.addPhone('phone')
  await savePhone(db, { endpoint, ...keys })
  const env = Object.assign({}, ...Object.values(samples).map((sample) => sample.env))
  const fetch = (async (url: string | URL, init?: RequestInit) => {
    calls.push({ url: new URL(url), init })
    if (new URL(url).host !== 'hooks.example') return push.fetch(url, init)
    webhookBodies.push(String(init?.body))
    return new Response()
  }) as typeof globalThis.fetch
  const { context } = createTestContext(db, makeSettings(env), { fetch })
  const send = async (changes: Partial<StoredLead>, channel: Channel) => {
    const lead = { ...storedJane, id: crypto.randomUUID(), ...changes }
    // This channel sends to the lead's email address.
    if (channel.kind === 'confirmation') lead.email = storedJane.email
    expect(await sendThrough(channel, context, { lead })).toMatchObject({ ok: true })
  }
  // Send all in parallel, because the fake mail server delays each connection by 100 ms.
  const sendAll = (leads: Partial<StoredLead>[]) =>
    Promise.all(leads.flatMap((lead) => channels.map((channel) => send(lead, channel))))
  return { samples, mail, calls, sendAll }
}

const textFields = fieldNames.filter((name) => !(leadFields[name] as Field).choices)
const fillWith = (text: string): Partial<StoredLead> =>
  Object.fromEntries(textFields.map((name) => [name, text]))

const hostileTexts = [
  'evil.example/pay',
  'http://evil.example',
  'HTTPS://evil.example/x?y',
  'www.evil.example',
  'Jane\r\nBcc: all@evil.example',
  'Jane\u2028evil。example',
  'mailto:x@evil.example',
  '<a href="https://evil.example">x</a>',
  '<https://evil.example|Call>',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '\u202Egpj.exe',
]

it('sends no links or markup from a text field or a campaign', async () => {
  const { samples, mail, sendAll } = await openAll()
  const leads = hostileTexts.map((text) => {
    const source = new URLSearchParams({ utm_source: text, utm_campaign: text }).toString()
    return { ...fillWith(text), source }
  })
  await sendAll(leads)
  for (const { to, headers } of mail.mails)
    expect([to.length, headers.has('bcc')]).toEqual([1, false])
  const ownUrls =
    /https:\/\/www\.(example\.com\/answer\/[\w-]+|google\.com\/maps\/search\/\?api=1&(amp;)?query=[\w%.~()'!*-]*)/g
  for (const [kind, { listTexts }] of Object.entries(samples)) {
    const texts = listTexts()
    expect(texts.length >= leads.length || kind === 'airtable', kind).toBe(true)
    for (const shown of texts) {
      const rest = shown.replace(ownUrls, '').replace(/tel:\+?\d+/g, '')
      // Message apps turn a word with a dot or "://" inside it into a link.
      expect(rest, kind).not.toMatch(/evil\.example|:\/\/|www\.\w|。\w/i)
      if (/^<!doctype html>/.test(shown))
        expect(shown, kind).not.toMatch(/<(script|img|a href="https:\/\/evil)/)
      expect(shown, kind).not.toMatch(/[\r\u2028\u202E]/)
    }
  }
})

it('sends leads only to the recipients in the settings, whatever a lead contains', async () => {
  const { calls, sendAll } = await openAll()
  const listAddresses = () =>
    calls.splice(0).map(({ url, init }) => {
      expect(init?.redirect).toBe('manual')
      const to = url.pathname.endsWith('Messages.json')
        ? new URLSearchParams(String(init?.body)).getAll('To').join()
        : ''
      // Omit Airtable's query, which contains the lead's ID.
      return `${url.origin}${url.pathname}${url.host === 'hooks.example' ? url.search : ''} ${to}`
    })
  await sendAll([{}])
  const expected = new Set(listAddresses())
  const texts = [
    ...['https://evil.example/', '//evil.example', '@evil.example', '../../x', '\0\uD800'],
    ...['\r\nHost: evil.example', '<https://evil.example|Call>', '+19005550000'],
    '&To=%2B19005550000',
  ]
  await sendAll(texts.map(fillWith))
  expect(new Set(listAddresses())).toEqual(expected)
})

it('asks for the result of a call through each channel that reminds the crew', () => {
  const listKinds = (reason: ReasonKind) =>
    channels.filter(({ reasons }) => reasons.includes(reason)).map(({ kind }) => kind)
  expect(listKinds('unresolved')).toEqual(listKinds('again'))
  expect(listKinds('again')).toEqual(expect.arrayContaining(['email', 'sms', 'webhook', 'push']))
})
