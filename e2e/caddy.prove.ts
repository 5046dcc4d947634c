import { form as words } from '#site/content.ts'
import { findCaddy, startCaddy } from '#testing/caddy.ts'
import { fields, fillIn, submitButton, toast } from './form.ts'
import { test } from './own-site.ts'
import { expect } from './test.ts'

// Caddy's own certificate; everything else is as an owner's visitors have it.
test.use({ ignoreHTTPSErrors: true, expectedErrors: /404/ })
test.skip(!findCaddy() && !process.env.CI, 'Caddy is not installed')

test('behind Caddy, over HTTPS, a visitor gets from the page to the confirmation', async ({
  page,
  startSite,
  endings,
}) => {
  const site = new URL(await startSite({ TRUSTED_PROXIES: '1' }))
  const caddy = await startCaddy([site.host])
  endings.push(caddy.stop, () => page.goto('about:blank'))
  const url = `https://localhost:${caddy.httpsPort}`
  const response = await page.goto(url)
  expect(response?.headers()['content-encoding']).toBe('br')
  const protocol = await page.evaluate(
    () =>
      performance.getEntriesByType('navigation').map((entry) => entry.toJSON().nextHopProtocol)[0],
  )
  expect(['h2', 'h3']).toContain(protocol)
  await fillIn(page)
  await submitButton(page).click()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  await expect(fields(page).name).toHaveValue('')
  expect((await page.goto(`${url}/nowhere`))?.status()).toBe(404)
})
