import { findCaddy, startCaddy } from '#testing/caddy.ts'
import { test } from './own-site.ts'
import { expect } from './test.ts'

test.describe('behind Caddy', () => {
  // Ignore certificate errors, because the certificate is from Caddy's local CA.
  test.use({ ignoreHTTPSErrors: true, expectedErrors: /404/ })
  test.skip(!findCaddy() && !process.env.CI, 'Caddy is not installed.')

  test('loads the page and confirms a lead over HTTPS', async ({
    page,
    form,
    startSite,
    endings,
  }) => {
    const site = new URL(await startSite({ TRUSTED_PROXIES: '1' }))
    const caddy = await startCaddy([site.host])
    endings.push(caddy.stop)
    const url = `https://localhost:${caddy.httpsPort}`
    const response = await page.goto(url)
    expect(response?.headers()['content-encoding']).toBe('br')
    const protocol = await page.evaluate(
      () => performance.getEntriesByType('navigation')[0]?.toJSON().nextHopProtocol,
    )
    expect(['h2', 'h3']).toContain(protocol)
    await form.fillIn()
    await form.press()
    await expect(form.name).toHaveValue('')
    expect((await page.goto(`${url}/nowhere`))?.status()).toBe(404)
  })
})
