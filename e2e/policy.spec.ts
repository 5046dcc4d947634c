import { expect, test } from './test.ts'

// Cookies, other hosts, breaches of the policy and words in addresses: test.ts watches every visit for them.

// Mozilla Observatory's published scoring: what the headers of these pages can lose or win.
function score(headers: Record<string, string>) {
  const policy = Object.fromEntries(
    (headers['content-security-policy'] ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )
  const sources = (name: string) => policy[name] ?? policy['default-src'] ?? ['*']
  const code = [...sources('script-src'), ...sources('style-src')]
  const [, maxAge = '0'] = headers['strict-transport-security']?.match(/max-age=(\d+)/) ?? []
  const losses = {
    'no policy': policy['default-src'] ? 0 : 25,
    'unsafe-inline': code.includes("'unsafe-inline'") ? 20 : 0,
    'unsafe-eval': code.includes("'unsafe-eval'") ? 10 : 0,
    'any source': code.some((source) => ['*', 'https:', 'http:', 'data:'].includes(source))
      ? 20
      : 0,
    'no TLS for six months': Number(maxAge) < 15_768_000 ? 20 : 0,
    'type sniffing': headers['x-content-type-options'] === 'nosniff' ? 0 : 5,
    framing: policy['frame-ancestors'] || headers['x-frame-options'] ? 0 : 20,
    cookies: headers['set-cookie'] ? 20 : 0,
  }
  const wins = {
    'nothing by default': policy['default-src']?.[0] === "'none'" ? 10 : 0,
    'framing by policy': policy['frame-ancestors']?.[0] === "'none'" ? 5 : 0,
    referrer: headers['referrer-policy'] === 'strict-origin-when-cross-origin' ? 5 : 0,
    'cross-origin resources': headers['cross-origin-resource-policy'] === 'same-origin' ? 10 : 0,
  }
  const sum = (points: Record<string, number>) =>
    Object.values(points).reduce((total, point) => total + point, 0)
  const base = 100 - sum(losses)
  // Extra points count from 90 on only.
  return base < 90 ? base : base + sum(wins)
}

test.describe('the headers', () => {
  test('score 100 or more by Observatory’s rules', async ({ request }) => {
    for (const path of ['/', '/nowhere']) {
      const answer = await request.get(path, { headers: { 'x-forwarded-proto': 'https' } })
      expect(score(answer.headers()), path).toBeGreaterThanOrEqual(100)
    }
  })

  test('would lose points if they were laxer', () => {
    expect(score({})).toBeLessThan(40)
    expect(score({ 'content-security-policy': "default-src 'self' 'unsafe-inline'" })).toBeLessThan(
      50,
    )
  })
})
