import { createApp } from '#leads/http/app.ts'
import type { AppContext } from '#leads/http/app-context.ts'
import type { Env } from '#leads/settings.ts'
import type { Database } from '#leads/store/tables.ts'
import { createTestContext } from './delivery.ts'
import { makeSettings } from './settings.ts'

export const testLead = {
  name: 'Zoë',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'roof-repair',
}

type Headers = Record<string, string>

export const testPath = '/functions/v1/submit-to-airtable'
/** Sends a lead to a running site as the page does. */
export const postLead = (url: string, lead: object = testLead, headers: Headers = {}) =>
  fetch(url + testPath, {
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(lead),
  })

export const ownOrigin = 'https://roofing.example'
export const otherOrigin = 'https://cdn.example'

type Changes = Partial<Omit<AppContext, 'env'>> & { env?: Partial<Env> }

/** Creates the HTTP app on a test database, with a fake clock and a client address taken from a header. */
export function createTestApp(db: Database, { env, ...changes }: Changes = {}) {
  const clock = { at: Date.parse('2026-11-15T12:00:00Z') }
  const wakes: number[] = []
  const settings = {
    ...makeSettings(),
    anonKeys: ['the-key'],
    publicUrl: ownOrigin,
    allowedOrigins: [otherOrigin],
    ...env,
  }
  const { context, faults, log } = createTestContext(db, settings, { clock })
  const app = createApp({
    ...context,
    faults,
    planDelivery: async () => ({ recipients: ['airtable'] }),
    listProblems: async () => [],
    // Long enough that a test does not fail on a busy machine.
    saveTimeoutMs: 60_000,
    wake: () => wakes.push(clock.at),
    readClientAddress: (c) => c.req.header('test-client') ?? '203.0.113.7',
    mayShareAddress: () => false,
    ...changes,
  })
  const request = async (path: string, init: RequestInit & { headers?: Headers } = {}) => {
    const headers = { host: new URL(ownOrigin).host, ...init.headers }
    const response = await app.request(path, { ...init, headers })
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : undefined
    const retryAfter = Number(response.headers.get('retry-after'))
    const { status, headers: answered } = response
    return { status, headers: answered, text, json, code: json?.error?.code, retryAfter }
  }
  const post = (headers: Headers = {}, body: unknown = testLead) => {
    const isRaw = typeof body === 'string' || body instanceof ReadableStream
    return request(testPath, {
      method: 'POST',
      headers: { apikey: 'the-key', 'content-type': 'application/json', ...headers },
      body: isRaw ? body : JSON.stringify(body),
      duplex: 'half',
    } as RequestInit & { headers: Headers })
  }
  const postForm = async (
    fields: Headers | FormData = testLead,
    headers: Headers = { origin: ownOrigin },
  ) => {
    const body = fields instanceof FormData ? fields : new URLSearchParams(fields)
    const answer = await request(testPath, { method: 'POST', headers, body })
    return answer.headers.get('location')
  }
  const checkHealth = async () => (await request('/healthz')).status
  return { app, log, clock, wakes, request, post, postForm, checkHealth }
}
