import { expect, it } from 'vitest'
import { createTestApp } from '#testing/app.ts'
import { openTestDatabase } from '#testing/database.ts'
import { askAboutProxies, countProxies } from './proxy-question.ts'

const secret = 'a secret for tests'
const now = Date.parse('2026-11-15T12:00:00Z')
const question = askAboutProxies(secret, now)
const count = (forwardedFor: string | undefined, at = now, given = question) =>
  countProxies((name) => (name === 'x-forwarded-for' ? forwardedFor : given[name]), secret, at)

it.each([
  ['nobody in front', '192.0.2.1', 0],
  ['one that appends', '192.0.2.1, 203.0.113.7', 1],
  ['two that append', '192.0.2.1,203.0.113.7, 10.0.0.1', 2],
  ['one that believes nobody', '203.0.113.7', 1],
  ['two, of which the first believes nobody', '203.0.113.7, 10.0.0.1', 2],
  ['none that says anything', undefined, 0],
])('counts %s', (_, forwardedFor, expected) => {
  expect(count(forwardedFor)).toBe(expected)
})

it('answers only who knows the secret, and for minutes only', () => {
  expect(count('192.0.2.1', now + 4 * 60_000)).toBe(0)
  expect(count('192.0.2.1', now + 20 * 60_000)).toBeUndefined()
  expect(count('192.0.2.1', now, askAboutProxies('another secret', now))).toBeUndefined()
  expect(count('192.0.2.1', now, {})).toBeUndefined()
  expect(countProxies((name) => question[name], undefined, now)).toBeUndefined()
})

it('is answered by /healthz with what is believed, and nobody else sees it', async () => {
  const { app, clock } = createTestApp(await openTestDatabase('sqlite'), { trustedProxies: 2 })
  const ask = async (headers: Record<string, string>) =>
    (await app.request('/healthz', { headers })).json()
  const headers = {
    ...askAboutProxies(secret, clock.at),
    'x-forwarded-for': '192.0.2.1, 203.0.113.7',
  }
  expect(await ask(headers)).toMatchObject({ ok: true, proxies: { seen: 1, trusted: 2 } })
  expect(await ask({ 'x-forwarded-for': '192.0.2.1' })).not.toHaveProperty('proxies')
})
