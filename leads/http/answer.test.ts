import { createHash } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeAirtable } from '#fakes/airtable.ts'
import { createTestApp } from '#testing/app.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openChannels } from '#testing/delivery.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { makeAnswerToken } from '../answer-link.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { findLead } from '../store/reading.ts'
import { readLinkSecret } from '../store/stored-settings.ts'
import type { Engine } from '../store/tables.ts'

const start = Date.parse('2026-11-15T18:00:00Z')
const weekMs = 7 * 24 * 3_600_000
const secret = 'a secret for tests'

async function open(engine: Engine, lead: { name?: string } = {}) {
  const db = await openTestDatabase(engine)
  const { request, log, clock, wakes } = createTestApp(db, { linkSecret: secret })
  clock.at = start
  const leadId = await storeLead(db, {
    at: start,
    lead: { address: '123 Main St', serviceType: 'emergency', ...lead },
    channels: ['airtable'],
  })
  const token = makeAnswerToken(leadId, secret, start)
  const ask = (method: string, path = `/answer/${token}`) => request(path, { method })
  return { db, log, clock, wakes, leadId, token, ask }
}

describe.each(engines)('the answer page on %s', (engine) => {
  it('shows the lead and one button, and opening it changes nothing', async () => {
    const { ask, db, leadId, wakes, token } = await open(engine)
    // Short enough for a text message.
    expect(token).toMatch(/^[\w-]{48}$/)
    const before = await findLead(db, leadId)
    for (const method of ['GET', 'HEAD', 'GET']) expect((await ask(method)).status).toBe(200)
    expect(await findLead(db, leadId)).toEqual(before)
    expect(wakes).toEqual([])
    const { text } = await ask('GET')
    for (const part of ['Jane Doe', 'href="tel:5551234567"', '12:10 PM CST', '10 minutes left'])
      expect(text).toContain(part)
    expect(text.match(/<button/g)).toHaveLength(1)
  })

  it('records the first press, and shows it to whoever presses second', async () => {
    const { ask, db, leadId, clock, wakes, log } = await open(engine)
    clock.at += 200_000
    const answeredAt = clock.at
    const first = await ask('POST')
    expect(first.status).toBe(200)
    expect(first.text).toMatch(/You are calling.*3 minutes 20 seconds/s)
    expect(first.text).not.toContain('<button')
    clock.at += 60_000
    for (const method of ['POST', 'GET'])
      expect((await ask(method)).text).toMatch(/Already answered.*12:03 PM CST/s)
    expect(await findLead(db, leadId)).toMatchObject({ answeredAt, answeredBy: 'link' })
    expect(wakes).toEqual([answeredAt])
    expect(JSON.stringify(log.entries)).not.toMatch(/Jane|\(555\)/)
  })

  it('shows nothing for a forged, truncated, or foreign link', async () => {
    const { ask, token, leadId } = await open(engine)
    const forged = [
      token.slice(0, -1),
      `${token}A`,
      token.slice(0, 20),
      (token[0] === 'A' ? 'B' : 'A') + token.slice(1),
      token.slice(0, -1) + (token.at(-1) === 'A' ? 'B' : 'A'),
      // A later expiry under the same signature.
      token.slice(0, 24) + (token[24] === '9' ? '8' : '9') + token.slice(25),
      makeAnswerToken(leadId, 'another secret', start),
      'x',
      encodeURIComponent('../../healthz'),
      makeAnswerToken('00000000-0000-4000-8000-000000000000', secret, start),
    ]
    for (const bad of forged)
      for (const method of ['GET', 'POST']) {
        const { status, text, headers } = await ask(method, `/answer/${bad}`)
        expect([bad, status]).toEqual([bad, 404])
        expect(text).toContain('This link is not valid')
        expect(text).not.toMatch(/Jane|555|Main/)
        expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      }
  })

  it('expires after 7 days', async () => {
    const { ask, clock, db, leadId } = await open(engine)
    clock.at = start + weekMs
    expect((await ask('GET')).status).toBe(200)
    clock.at = start + weekMs + 1_000
    for (const method of ['GET', 'POST']) {
      const { status, text } = await ask(method)
      expect(status).toBe(410)
      expect(text).not.toMatch(/Jane|555|Main/)
    }
    expect((await findLead(db, leadId))?.answeredAt).toBeNull()
  })
})

it('answers GET, HEAD, and POST only, also under Supabase’s path, and not for an erased lead', async () => {
  const { ask, token, db, leadId } = await open('sqlite')
  for (const path of ['/functions/v1/submit-to-airtable', '/submit-to-airtable'])
    expect((await ask('GET', `${path}/answer/${token}`)).status).toBe(200)
  for (const method of ['DELETE', 'PUT']) expect((await ask(method)).status).toBe(405)
  await eraseLead(db, leadId)
  for (const method of ['GET', 'POST']) expect((await ask(method)).status).toBe(404)
})

it('runs no script, loads nothing, and cannot be cached, indexed, framed, or leaked as a referrer', async () => {
  const { ask } = await open('sqlite', { name: '"><script>alert(1)</script>' })
  const { headers, text } = await ask('GET')
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

it('explains that the database is unavailable', async () => {
  const { ask, db } = await open('sqlite')
  await db.kysely.schema.alterTable('leads').renameTo('away').execute()
  const { status, text } = await ask('POST')
  expect(status).toBe(503)
  expect(text).toContain('Not recorded yet')
})

it.each(engines)(
  'the links’ secret is made once and kept on %s, for all processes',
  async (engine) => {
    const db = await openTestDatabase(engine)
    const secrets = await Promise.all(
      Array.from({ length: 5 }, () => readLinkSecret(db, undefined)),
    )
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]?.length).toBeGreaterThan(40)
    expect(await readLinkSecret(db, 'given')).toBe('given')
  },
)

describe('after an answer the Airtable row', () => {
  async function openAirtable(columns?: Parameters<typeof startFakeAirtable>[0]) {
    const fake = await startFakeAirtable({ requestsPerWindow: 1000, ...columns })
    onTestFinished(() => fake.close())
    const opened = await open('sqlite')
    const { db, clock, log } = opened
    const { deliver } = openChannels(db, makeSettings(fake.env), { clock, log })
    const readAnswered = async () => {
      const deliveries = (await findLead(db, opened.leadId))?.deliveries ?? []
      return deliveries.find(({ reason }) => reason === 'answered')
    }
    const answer = async () => {
      clock.at = start + 90_000
      await opened.ask('POST')
      await deliver()
    }
    return { ...opened, fake, deliver, answer, readAnswered }
  }

  const called = { Status: 'Called', 'Answered At': '2026-11-15T18:01:30.000Z' }

  it.each([
    [{ Address: 'corrected by staff' }, { ...called, Address: 'corrected by staff' }],
    [{ Status: 'Done' }, { ...called, Status: 'Done' }],
  ])('says Called and when, and keeps what staff wrote: %j', async (written, expected) => {
    const { fake, deliver, answer, readAnswered } = await openAirtable()
    await deliver()
    Object.assign(fake.records[0]?.fields ?? {}, written)
    await answer()
    expect(fake.records).toMatchObject([{ fields: expected }])
    expect(await readAnswered()).toMatchObject({ state: 'sent', note: null })
  })

  it('is marked once it is there, if the answer came first', async () => {
    const { fake, deliver, answer, clock, readAnswered } = await openAirtable()
    await answer()
    clock.at += 10_000
    await deliver()
    expect(fake.records).toMatchObject([{ fields: called }])
    expect((await readAnswered())?.state).toBe('sent')
  })

  it('takes the Status alone where the column is missing, and says what to do', async () => {
    const choices = ['New', 'Called']
    const { fake, deliver, answer, readAnswered } = await openAirtable({
      columns: { 'Lead ID': 'singleLineText', Status: { choices }, Raw: 'multilineText' },
    })
    await deliver()
    await answer()
    expect(fake.records[0]?.fields.Status).toBe('Called')
    const note = expect.stringContaining('Airtable does not take Answered At')
    expect(await readAnswered()).toMatchObject({ state: 'sent', note })
  })

  it('is not made again when staff have deleted it', async () => {
    const { fake, deliver, answer, readAnswered } = await openAirtable()
    await deliver()
    fake.records.splice(0)
    await answer()
    expect(fake.records).toEqual([])
    const note = 'The row is no longer in Airtable.'
    expect(await readAnswered()).toMatchObject({ state: 'sent', note })
  })
})
