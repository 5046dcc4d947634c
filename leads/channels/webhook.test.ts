import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { jane, storedJane } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { StoredLead } from '../lead.ts'
import { webhook, webhookGone } from './webhook.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`
// The standardwebhooks package rejects messages that are older than five minutes.
const now = Date.now()

async function send(
  url: string,
  changed: Partial<StoredLead> = {},
  { fetch = globalThis.fetch, signal = AbortSignal.timeout(10_000) } = {},
) {
  const lead = { ...storedJane, receivedAt: now, ...changed }
  const env = makeSettings({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret })
  const db = await openTestDatabase('sqlite')
  const { context } = createTestContext(db, env, { clock: { at: now }, fetch })
  return sendThrough(webhook, context, { lead, signal })
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: { headers: Record<string, string>; body: string; path: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const headers = request.headers as Record<string, string>
    requests.push({ headers, body, path: request.url ?? '' })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

it('sends a signature that standardwebhooks verifies, and the same ID for each retry', async () => {
  const { requests, url } = await listen((_, response) => response.end())
  expect([await send(url), await send(url)]).toEqual([{ ok: true }, { ok: true }])
  const verify = (body: string, headers: Record<string, string>) =>
    new Webhook(secret).verify(body, headers)
  for (const { body, headers } of requests) {
    expect(() => verify(body, headers)).not.toThrow()
    expect(() => verify(`${body} `, headers)).toThrow()
    expect(headers['webhook-id']).toBe(`${storedJane.id}_received`)
  }
})

it('sends the fields as typed, and escaped text for Slack', async () => {
  const { requests, url } = await listen((_, response) => response.end())
  const name = '<!channel> <https://evil.example|Jane> & co'
  await send(url, { name, serviceType: 'emergency' })
  const { type, text, data } = JSON.parse(requests[0]?.body ?? '')
  expect(type).toBe('lead.received')
  expect(data.lead).toMatchObject({ name, email: jane.email, phone: jane.phone })
  expect(data.answerUrl).toMatch(/^https:\/\/www\.example\.com\/answer\/[\w-]{48}$/)
  expect(text).toMatch(/^EMERGENCY: call &lt;!channel&gt; &lt;https: \/evil\. example/)
  expect(text).toContain('<tel:5551234567|(555) 123-4567>')
  expect(text.match(/<([a-z]+):/g)).toEqual(['<tel:', '<https:', '<https:'])
  expect(text).not.toContain('evil.example')
})

// Only the first four statuses concern one lead, and only two of the others ask all senders to wait.
it.each([
  ...[400, 409, 413, 422].map((status) => [status, { refused: true }] as const),
  ...[401, 403, 404, 405, 408, 415, 500, 502].map(
    (status) => [status, { refused: false }] as const,
  ),
  ...[429, 503].map((status) => [status, { refused: false, holdMs: 90_000 }] as const),
])('returns an error for %i: %j', async (status, more) => {
  const fetch = async () => new Response(null, { status, headers: { 'retry-after': '90' } })
  const error = `The webhook returned ${status}.`
  expect(await send('https://hook.example', {}, { fetch })).toEqual({ ok: false, error, ...more })
})

it('reports that a webhook is gone after a 410', async () => {
  const fetch = async () => new Response(null, { status: 410 })
  const error = webhookGone
  expect(await send('https://hook.example', {}, { fetch })).toEqual({ ok: false, error })
})

it('does not follow redirects', async () => {
  const { requests, url } = await listen((_, response) => {
    response.writeHead(307, { location: '/secret' }).end()
  })
  const error = expect.stringMatching(/redirect \(307\)/)
  expect(await send(url)).toEqual({ ok: false, error })
  expect(requests.map(({ path }) => path)).toEqual(['/hook'])
})

it('does not read an endless body', async () => {
  const { url } = await listen((_, response) => {
    const pour = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', pour)
    }
    pour()
  })
  expect(await send(url)).toEqual({ ok: true })
})

it('returns an error for a lost connection and for a timeout', async () => {
  const broken = await listen((request) => request.socket.destroy())
  const unreached = expect.stringMatching(/^The webhook could not be reached/)
  expect(await send(broken.url)).toEqual({ ok: false, error: unreached })
  const silent = await listen(() => {})
  expect(await send(silent.url, {}, { signal: AbortSignal.timeout(20) })).toEqual({
    ok: false,
    error: 'The webhook did not respond in time.',
  })
})
