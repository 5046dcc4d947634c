import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestApp } from '#testing/app.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { record, storeLead } from '#testing/saved-leads.ts'
import { makeAnswerToken } from '../answer-link.ts'
import { spamRemark } from '../channels/alert.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { findLead } from '../store/find-leads.ts'
import { readLinkSecret } from '../store/stored-settings.ts'
import { dayMs, minuteMs } from '../time-units.ts'

const start = Date.parse('2026-11-15T18:00:00Z')
const weekMs = 7 * dayMs
const secret = 'a secret for tests'

async function open(
  lead: { name?: string; phone?: string } = {},
  visit: { suspect?: 'trap' } = {},
) {
  const db = await openTestDatabase('sqlite')
  const { request, log, clock, wakes } = createTestApp(db)
  clock.at = start
  const leadId = await storeLead(db, {
    at: start,
    lead: { address: '123 Main St', serviceType: 'emergency', ...lead },
    recipients: ['airtable'],
    ...visit,
  })
  const token = makeAnswerToken(leadId, secret, start)
  const send = (method: string, path = `/answer/${token}`) => request(path, { method })
  return { db, log, clock, wakes, leadId, token, send }
}

it('shows the lead and one button, and changes nothing when opened', async () => {
  const { send, db, leadId, wakes, token } = await open()
  // The link must fit in a text message.
  expect(token).toMatch(/^[\w-]{48}$/)
  const before = await findLead(db, leadId)
  for (const method of ['GET', 'HEAD', 'GET']) expect((await send(method)).status).toBe(200)
  expect(await findLead(db, leadId)).toEqual(before)
  expect(wakes).toEqual([])
  const { text } = await send('GET')
  for (const part of ['Jane Doe', 'href="tel:5551234567"', '12:10 PM CST', '10 minutes left'])
    expect(text).toContain(part)
  expect(text.match(/<button/g)).toHaveLength(1)
})

it('records the first click and shows it to the next person', async () => {
  const { send, db, leadId, clock, wakes, log } = await open()
  clock.at += 200_000
  const calledAt = clock.at
  const first = await send('POST')
  expect(first.status).toBe(200)
  expect(first.text).toMatch(/You’re calling.*3 minutes 20 seconds/s)
  expect(first.text).not.toContain('<button')
  clock.at += 60_000
  for (const method of ['POST', 'GET'])
    expect((await send(method)).text).toMatch(/Already called.*12:03 PM CST/s)
  expect(await findLead(db, leadId)).toMatchObject({ calledAt, calledVia: 'link' })
  expect(wakes).toEqual([calledAt])
  expect(JSON.stringify(log.entries)).not.toMatch(/Jane|\(555\)/)
})

it('lets one person call again after a call without an answer', async () => {
  const { send, db, leadId, clock } = await open()
  clock.at += 200_000
  const calledAt = clock.at
  await record(db, leadId, 'no-answer', { at: calledAt })
  clock.at += 60_000
  expect((await send('GET')).text).toMatch(/1 try\)\. Please call again at 12:33 PM\..*<button/s)
  clock.at = calledAt + 30 * minuteMs
  expect((await send('GET')).text).toMatch(
    /No answer \(1 try\)\. Please call again now\.<.*<button/s,
  )
  const [first, second] = [await send('POST'), await send('POST')]
  expect(first.text).toMatch(/You’re calling.*Recorded\./s)
  expect(second.text).toContain('Already called')
  const lead = { calledAt, status: 'calling', attempts: 1, callAgainAt: null }
  expect(await findLead(db, leadId)).toMatchObject(lead)
})

it.each(['call-again', 'no-result'] as const)(
  'shows no time of an earlier call after the next one, when the lead was %s',
  async (kind) => {
    const { send, db, leadId, clock } = await open()
    clock.at += minuteMs
    await record(db, leadId, 'called', { at: clock.at })
    await record(db, leadId, kind, { at: clock.at, version: 1 })
    clock.at += 120 * minuteMs
    const { text } = await send('POST')
    expect(text).toContain('<p>Recorded. Reminders have stopped.</p>')
  },
)

it('says “email” for a homeowner without a phone number', async () => {
  const { send, db, leadId, clock } = await open({ phone: '' })
  const read = async (method: string) => (await send(method)).text
  expect(await read('GET')).toMatch(
    /Email this homeowner.*We promised to email by.*I’m emailing now/s,
  )
  expect(await read('POST')).toContain('You’re emailing')
  expect(await read('GET')).toContain('Already emailed')
  await record(db, leadId, 'no-answer', { at: clock.at })
  expect(await read('GET')).toContain('Please email again at 12:30 PM.')
})

it('announces no reminders about possible spam until someone calls', async () => {
  const { send } = await open({}, { suspect: 'trap' })
  expect((await send('GET')).text).toContain(spamRemark)
  for (const method of ['POST', 'GET']) expect((await send(method)).text).not.toContain(spamRemark)
})

it.each(['done', 'not-a-lead'] as const)(
  'asks nobody to act on a lead that is %s',
  async (kind) => {
    const { send, db, leadId, clock } = await open()
    await record(db, leadId, 'called', { at: clock.at, person: 'Sam' })
    await record(db, leadId, kind, { at: clock.at, person: 'Sam' })
    const { text } = await send('GET')
    expect(text).toMatch(/Already handled.*Sam marked this as .*\. There’s nothing left to do\./s)
    expect(text).not.toContain('already on it')
  },
)

it('returns 404 for a forged or truncated link, or one for an unknown lead', async () => {
  const { send, token, leadId } = await open()
  const forged = [
    token.slice(0, -1),
    `${token}A`,
    token.slice(0, 20),
    (token[0] === 'A' ? 'B' : 'A') + token.slice(1),
    token.slice(0, -1) + (token.at(-1) === 'A' ? 'B' : 'A'),
    // This token has a later expiration time with the same signature.
    token.slice(0, 24) + (token[24] === '9' ? '8' : '9') + token.slice(25),
    makeAnswerToken(leadId, 'another secret', start),
    'x',
    encodeURIComponent('../../healthz'),
    makeAnswerToken('00000000-0000-4000-8000-000000000000', secret, start),
  ]
  for (const bad of forged)
    for (const method of ['GET', 'POST']) {
      const { status, text, headers } = await send(method, `/answer/${bad}`)
      expect([bad, status]).toEqual([bad, 404])
      expect(text).toContain('This link isn’t valid')
      expect(text).not.toMatch(/Jane|555|Main/)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
})

it('returns 410 for a link that is older than 7 days', async () => {
  const { send, clock, db, leadId } = await open()
  clock.at = start + weekMs
  expect((await send('GET')).status).toBe(200)
  clock.at = start + weekMs + 1_000
  for (const method of ['GET', 'POST']) {
    const { status, text } = await send(method)
    expect(status).toBe(410)
    expect(text).not.toMatch(/Jane|555|Main/)
  }
  expect((await findLead(db, leadId))?.calledAt).toBeNull()
})

it('allows only GET, HEAD, and POST, works under Supabase’s path, and returns 404 for an erased lead', async () => {
  const { send, token, db, leadId } = await open()
  for (const path of ['/functions/v1/submit-to-airtable', '/submit-to-airtable'])
    expect((await send('GET', `${path}/answer/${token}`)).status).toBe(200)
  for (const method of ['DELETE', 'PUT']) expect((await send(method)).status).toBe(405)
  await eraseLead(db, leadId)
  for (const method of ['GET', 'POST']) expect((await send(method)).status).toBe(404)
})

it('runs no script, loads nothing, and cannot be cached, indexed, framed, or leaked as a referrer', async () => {
  const { send } = await open({ name: '"><script>alert(1)</script>' })
  const { headers, text } = await send('GET')
  const style = text.match(/<style>([\s\S]*)<\/style>/)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': expect.stringContaining('noindex'),
  })
  expect(text).not.toMatch(/<script|style="| on\w+="/)
})

it('shows an explanation when the database is unavailable', async () => {
  const { send, db } = await open()
  await db.kysely.schema.alterTable('leads').renameTo('away').execute()
  const { status, text } = await send('POST')
  expect(status).toBe(503)
  expect(text).toContain('This page isn’t working right now')
})

it.each(engines)('creates one link secret for all processes, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const secrets = await Promise.all(Array.from({ length: 5 }, () => readLinkSecret(db, undefined)))
  expect(new Set(secrets).size).toBe(1)
  expect(secrets[0]?.length).toBeGreaterThan(40)
  expect(await readLinkSecret(db, 'given')).toBe('given')
})
