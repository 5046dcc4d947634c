import { type AppOptions, createApp } from '#leads/http/app.ts'
import { createFaultLog } from '#leads/log.ts'
import type { Database } from '#leads/store/tables.ts'
import { createTestLog } from './log.ts'

export const testLead = {
  name: 'Zoë',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'roof-repair',
}

/** The function on a test's database, with a clock to move and a client address to choose. */
export function createTestApp(db: Database, changes: Partial<AppOptions> = {}) {
  const log = createTestLog()
  const clock = { at: Date.parse('2026-11-15T12:00:00Z') }
  const app = createApp({
    db,
    planDelivery: () => ({ channels: ['airtable'] }),
    findWarnings: async () => [],
    linkSecret: 'a secret for tests',
    timeZone: 'America/Chicago',
    anonKeys: ['the-key'],
    publicUrl: 'https://roofing.example',
    allowedOrigins: [],
    rateLimitPerMinute: 10,
    // A busy machine is no reason for a test to fail.
    longestSaveMs: 60_000,
    notSetUp: [],
    now: () => clock.at,
    log,
    faults: createFaultLog(log),
    wake: () => {},
    findClientAddress: (c) => c.req.header('test-client') ?? '203.0.113.7',
    ...changes,
  })
  const post = async (headers: Record<string, string> = {}, body: unknown = testLead) => {
    const response = await app.request('/functions/v1/submit-to-airtable', {
      method: 'POST',
      headers: { apikey: 'the-key', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const { error } = (await response.json()) as { error?: { code: string } }
    return {
      status: response.status,
      code: error?.code,
      retryAfter: Number(response.headers.get('retry-after')),
    }
  }
  const checkHealth = async () => (await app.request('/healthz')).status
  return { app, log, clock, post, checkHealth }
}
