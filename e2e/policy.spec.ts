import { expect, test } from './test.ts'

// test.ts checks every test that uses `page` for cookies, requests to other hosts, policy violations, and personal data
// in URLs.

test('sends the headers that Mozilla Observatory requires for its top score', async ({
  request,
}) => {
  for (const path of ['/', '/nowhere']) {
    const answer = await request.get(path, { headers: { 'x-forwarded-proto': 'https' } })
    const headers = answer.headers()
    const policy = headers['content-security-policy'] ?? ''
    expect(policy, path).toMatch(/default-src 'none'(;|$)/)
    expect(policy, path).toMatch(/frame-ancestors 'none'(;|$)/)
    const code = policy.match(/(script|style)-src [^;]*/g)?.join(' ')
    expect(code, path).toMatch(/script-src .*style-src /)
    expect(code, path).not.toMatch(/unsafe-|\*|(https?|data):(?= |$)/)
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers, path).not.toHaveProperty('set-cookie')
    const [, maxAge] = headers['strict-transport-security']?.match(/max-age=(\d+)/) ?? []
    expect(Number(maxAge), path).toBeGreaterThanOrEqual(15_768_000)
  }
})
