import { hero } from '#site/content.ts'
import { expect, test } from './test.ts'

test.use({ expectedErrors: /there is no page at|status of 404/ })

test('an unknown path gets a real 404, its words and the way home', async ({ page }) => {
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  const response = await page.goto('/no/such-page?x=1#y')
  expect(response?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1, name: 'Oops! Page not found' })).toBeVisible()
  const isLoaded = (image: HTMLImageElement) => image.naturalWidth > 0
  expect(await page.locator('img').evaluate(isLoaded)).toBe(true)
  expect(logged).toContainEqual(expect.stringContaining('/no/such-page'))
  await page.getByRole('link', { name: 'Return to Home' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hero.headline)
})

// More of them: static-site.test.ts.
test('no path crashes the server or leaves the site', async ({ request }) => {
  const long = `/${'x'.repeat(4000)}`
  for (const path of ['/%00', '/%E0%A4%A', '/..%2f..%2fpackage.json', '/.env', long]) {
    const response = await request.get(path)
    expect(response.status(), path).toBe(404)
    expect(await response.text(), path).toContain('Oops! Page not found')
  }
  expect((await request.get('/')).status()).toBe(200)
})
