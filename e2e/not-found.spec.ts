import { hero } from './content.ts'
import { expect, expectAccessible, test } from './test.ts'

test.use({ expectedErrors: /there is no page at|status of 404/ })

// static-site.test.ts tests malformed paths.
test('returns 404 for an unknown path, with the message and a link home', async ({ page }) => {
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  const response = await page.goto('/no/such-page?x=1#y')
  expect(response?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1, name: 'Oops! Page not found' })).toBeVisible()
  const isLoaded = (image: HTMLImageElement) => image.naturalWidth > 0
  expect(await page.locator('img').evaluate(isLoaded)).toBe(true)
  expect(logged).toContainEqual(expect.stringContaining('/no/such-page'))
  await page.setViewportSize({ width: 320, height: 640 })
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Return to Home' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hero.headline)
})
