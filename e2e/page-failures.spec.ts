import { desktop, expect, test } from './test.ts'

const styles = '**/assets/below-fold-*.css'

test.describe('on a device that does not know the company’s time zone', () => {
  test.use({ expectedErrors: /time zone/ })

  test('shows all sections, and loads the form’s code', async ({ page, form }) => {
    await page.route(/\/$/, async (route) => {
      const response = await route.fetch()
      const body = (await response.text())
        .replace('"open":"always"', '"open":{"Mon":["7:00-18:00"]}')
        .replace(/"timeZone":".*?"/, '"timeZone":"Somewhere/New"')
      await route.fulfill({ response, body })
    })
    await page.goto('/')
    await expect(page.locator('.deferred')).toHaveCount(0)
    await form.name.focus()
    await form.expectHydrated()
  })
})

test('shows the sections without their styles if those take too long', async ({ page }) => {
  await page.route(styles, () => {})
  await page.clock.install()
  await page.goto('/')
  await page.clock.runFor(5_000)
  await expect(page.locator('main > link')).toHaveCount(1)
  await expect(page.locator('.deferred')).not.toHaveCount(0)
  await page.clock.runFor(10_000)
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expect(page.locator('#services')).toBeVisible()
})

test('does not go back to a linked section if the visitor has scrolled away', async ({ page }) => {
  const { promise: scrolled, resolve: release } = Promise.withResolvers<void>()
  await page.route(styles, async (route) => {
    await scrolled
    await route.continue()
  })
  await page.setViewportSize(desktop)
  await page.goto('/?#services', { waitUntil: 'domcontentloaded' })
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100)
  await page.mouse.move(300, 300)
  await page.mouse.wheel(0, -20_000)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
  release()
  await expect(page.locator('.deferred')).toHaveCount(0)
  expect(await page.evaluate(() => scrollY)).toBe(0)
})
