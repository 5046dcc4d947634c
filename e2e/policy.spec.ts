import { form as words } from '../site/content.ts'
import { fillIn, functionUrl, submitButton, toast } from './form.ts'
import { expect, scrollPage, test } from './test.ts'

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
  for (const path of ['/', '/nowhere']) {
    test(`of ${path} score 100 or more by Observatory’s rules`, async ({ request }) => {
      const overTls = { headers: { 'x-forwarded-proto': 'https' } }
      const answer = await request.get(path, overTls)
      expect(score(answer.headers())).toBeGreaterThanOrEqual(100)
    })
  }

  test('would lose points if they were laxer', () => {
    expect(score({})).toBeLessThan(40)
    expect(score({ 'content-security-policy': "default-src 'self' 'unsafe-inline'" })).toBeLessThan(
      50,
    )
  })
})

test('a whole visit sets no cookie, asks nobody else, breaks no rule, and puts nothing personal in an address', async ({
  page,
  context,
  baseURL,
}) => {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.addInitScript(() => {
    Object.assign(window, { violations: [] })
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      (window as unknown as { violations: string[] }).violations.push(
        `${violatedDirective} ${blockedURI}`,
      ),
    )
  })
  await page.route(functionUrl, (route) => route.fulfill({ json: { ok: true } }))
  await page.goto('/')
  for (let top = 0; top < 5000; top += 500) await scrollPage(page, top)
  await scrollPage(page, 0)
  await fillIn(page)
  await submitButton(page).click()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  // The toast's style sheet came by script, and counted.
  await expect(toast(page, words.toasts.received)).toHaveCSS('position', 'absolute')
  expect(
    await page.evaluate(() => (window as unknown as { violations: string[] }).violations),
  ).toEqual([])
  expect(await context.cookies()).toEqual([])
  expect(urls.filter((url) => !url.startsWith(baseURL ?? ''))).toEqual([])
  expect(urls.filter((url) => /jane|555|ridge/i.test(decodeURIComponent(url)))).toEqual([])
})
