import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { jane, storedJane } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { StoredLead } from '../lead.ts'
import { webhook } from './webhook.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`
// Use the real time, because the standardwebhooks package rejects messages that are older than five minutes.
const now = Date.now()

/** Sends a lead to a webhook that responds with `answer()`. */
async function send(
  answer = () => new Response(),
  changed: Partial<StoredLead> = {},
  what: Parameters<typeof sendThrough>[2] = {},
) {
  let request: RequestInit = {}
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    request = init
    return answer()
  }
  const url = 'https://hook.example'
  const env = makeSettings({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret })
  const db = await openTestDatabase('sqlite')
  const { context } = createTestContext(db, env, { clock: { at: now }, fetch })
  const lead = { ...storedJane, receivedAt: now, ...changed }
  const result = await sendThrough(webhook, context, { lead, ...what })
  return { result, body: String(request.body), headers: request.headers as Record<string, string> }
}

it('sends another ID with a later reminder after the same number of attempts', async () => {
  const sendReminder = async (revision: number) =>
    (await send(undefined, {}, { reason: 'again-1', revision })).headers['webhook-id']
  expect(await sendReminder(0)).toBe(`${storedJane.id}_again-1`)
  expect(await sendReminder(1)).toBe(`${storedJane.id}_again-1_1`)
})

it('sends a signature that standardwebhooks verifies, and an ID that retries share', async () => {
  const { result, body, headers } = await send()
  expect(result).toEqual({ ok: true })
  const verify = (text: string) => new Webhook(secret).verify(text, headers)
  expect(() => verify(body)).not.toThrow()
  expect(() => verify(`${body} `)).toThrow()
  expect(headers['webhook-id']).toBe(`${storedJane.id}_received`)
})

it('sends the fields as typed, and escaped text for Slack', async () => {
  const name = '<!channel> <https://evil.example|Jane> & co'
  const { body } = await send(undefined, { name, serviceType: 'emergency' })
  const { type, text, data } = JSON.parse(body)
  expect(type).toBe('lead.received')
  expect(data.lead).toMatchObject({ name, email: jane.email, phone: jane.phone })
  expect(data.answerUrl).toMatch(/^https:\/\/www\.example\.com\/answer\/[\w-]{48}$/)
  expect(text).toMatch(/^EMERGENCY: call &lt;!channel&gt; &lt;https: \/evil\. example/)
  expect(text).toContain('<tel:5551234567|(555) 123-4567>')
  expect(text.match(/<([a-z]+):/g)).toEqual(['<tel:', '<https:', '<https:'])
  expect(text).not.toContain('evil.example')
})

// Only the first four statuses reject the lead itself, and only 429 and 503 pause the channel.
it.each([
  ...[400, 409, 413, 422].map((status) => [status, { refused: true }] as const),
  ...[401, 403, 404, 405, 408, 410, 415, 500, 502].map(
    (status) => [status, { refused: false }] as const,
  ),
  ...[429, 503].map((status) => [status, { refused: false, retryAfterMs: 90_000 }] as const),
  [307, { error: expect.stringContaining('redirect (307)') }] as const,
])('returns an error for %i: %j', async (status, more) => {
  const headers = { 'retry-after': '90' }
  const { result } = await send(() => new Response(null, { status, headers }))
  expect(result).toEqual({ ok: false, error: `The webhook returned ${status}.`, ...more })
})

it('does not read an endless body', async () => {
  const pull = (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(65_536))
  const { result } = await send(() => new Response(new ReadableStream({ pull })))
  expect(result).toEqual({ ok: true })
})
