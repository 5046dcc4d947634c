import type { Page } from '@playwright/test'
import brand from '#leads/brand.json' with { type: 'json' }
import { functionUrl } from './form.ts'
import { desktop, expect, expectAccessible, formatRgb, scrollPage, test } from './test.ts'

/** WCAG 2.2 requires targets to be at least 24 by 24 px. */
const listSmallTargets = (page: Page) =>
  page.locator('a, button, input, select').evaluateAll((elements) =>
    elements
      .map((element) => ({ html: element.outerHTML, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ html }) => html),
  )

test.use({ expectedErrors: /status of 422/ })

test('has no accessibility violations in any state on a narrow screen', async ({ page, form }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  await form.press('incomplete')
  // Wait until the toast has faded in, because axe measures colors.
  await expect(form.toast('incomplete')).toHaveCSS('opacity', '1')
  // Keep the mouse over the toast, because it then stays open.
  await form.toast('incomplete').hover()
  await expectAccessible(page)
  // Check the page after a failed request, during a request without a response, and after a success.
  await form.answerWith({ status: 422, body: '{}' })
  await form.fillIn()
  await form.press('failed')
  await expect(form.toast('failed')).toHaveCSS('opacity', '1')
  // Move the fields away from the toast, because axe would report a covered field.
  await scrollPage(page, 0)
  await expectAccessible(page, 'html', 'a failure')
  await page.route(functionUrl, () => {})
  await form.button.click()
  await expect(form.button).toBeDisabled()
  // Wait until the toast is gone, because its colors differ while it fades out.
  await expect(form.toast('failed')).toHaveCount(0)
  await scrollPage(page, 0)
  await expectAccessible(page, 'html', 'submitting')
  await page.reload()
  await expect(page.locator('.deferred')).toHaveCount(0)
  await form.answerWith({ status: 200 })
  await form.fillIn()
  await form.press()
  await expect(form.toast('received')).toHaveCSS('opacity', '1')
  await expectAccessible(page, 'html', 'a success')
  expect(await listSmallTargets(page)).toEqual([])
})

test('has no accessibility violations without scripts, also after an error', async ({ page }) => {
  // axe needs timers, which do not run if scripts are off, so remove the page's scripts instead.
  await page.route(/\/\?|\.css$/, async (route) => {
    const response = await route.fetch()
    const body = (await response.text())
      .replaceAll(/<script.*?<\/script>/gs, '')
      .replaceAll('noscript>', 'div>')
      .replaceAll('scripting:none', 'min-width:0')
      .replaceAll('scripting:enabled', 'max-width:0')
    await route.fulfill({ contentType: response.headers()['content-type'] ?? '', body })
  })
  for (const fragment of ['', '#estimate-failed', '#estimate-received']) {
    await page.goto(`/?${fragment}`)
    await expect(page.locator('.site-header')).toHaveCSS('top', 'auto')
    await expect(page.locator('.site-footer')).toHaveCSS('visibility', 'visible')
    await expectAccessible(page, 'html', fragment)
  }
})

test('on a wide screen, has no violations, shows focus, and never hides it under the header', async ({
  page,
}) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expectAccessible(page)
  expect(await listSmallTargets(page)).toEqual([])

  const footerLink = page.locator('footer a').last()
  await footerLink.focus()
  // On a dark background, the outline must be light in every brand.
  await expect(footerLink).toHaveCSS('outline-color', formatRgb(brand.palette.paper))
  const seen: string[] = []
  for (let press = 0; press < 40; press++) {
    // Go backward, because that scrolls elements to the top of the screen, where the header is.
    await page.keyboard.press('Shift+Tab')
    const focus = await page.evaluate(async () => {
      await new Promise((drawn) => requestAnimationFrame(drawn))
      const element = document.activeElement as HTMLElement
      if (element === document.body) return
      const box = element.getBoundingClientRect()
      const header = (document.querySelector('header') as HTMLElement).getBoundingClientRect()
      // The outline of a link in a service card is around the whole card.
      const styles = [getComputedStyle(element), getComputedStyle(element, '::after')]
      return {
        what: element.getAttribute('aria-label') ?? element.innerText ?? element.id,
        hidden: !element.closest('header') && box.top < header.bottom,
        outline: styles.some(
          ({ outlineStyle, outlineWidth }) =>
            outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
        ),
      }
    })
    if (!focus) break
    seen.push(focus.what)
    expect(focus, focus.what).toMatchObject({ hidden: false, outline: true })
  }
  expect(seen.at(-1)).toBe('Skip to the estimate form')
  expect(seen.length).toBeGreaterThan(12)
})
