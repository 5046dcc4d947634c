import type { Page } from '@playwright/test'
import brand from '#leads/brand.json' with { type: 'json' }
import { desktop, expect, expectAccessible, formatRgb, test } from './test.ts'

/** WCAG 2.2 requires targets of at least 24 by 24 px. */
const listSmallTargets = (page: Page) =>
  page.locator('a, button, input, select').evaluateAll((elements) =>
    elements
      .map((element) => ({ html: element.outerHTML, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ html }) => html),
  )

test('has no accessibility violations in any state on a narrow screen', async ({ page, form }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto('/')
  await expect(page.locator('.later')).toHaveCount(0)
  await form.press('incomplete')
  // Wait until the toast has faded in, because axe measures colors.
  await expect(form.toast('incomplete')).toHaveCSS('opacity', '1')
  // A toast stays as long as the mouse is over it.
  await form.toast('incomplete').hover()
  await expectAccessible(page)
  await form.answerWith({ status: 200 })
  await form.fillIn()
  await form.press()
  await expectAccessible(page, '#estimate')
  expect(await listSmallTargets(page)).toEqual([])
})

test('on a wide screen, has no violations, shows focus, and never hides it under the header', async ({
  page,
}) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await expect(page.locator('.later')).toHaveCount(0)
  await expectAccessible(page)
  expect(await listSmallTargets(page)).toEqual([])

  const footerLink = page.locator('footer a').last()
  await footerLink.focus()
  // On a dark background, the outline must be light with any brand.
  await expect(footerLink).toHaveCSS('outline-color', formatRgb(brand.palette.paper))
  const seen: string[] = []
  for (let press = 0; press < 40; press++) {
    // Going back scrolls elements to the top of the screen, where the header is.
    await page.keyboard.press('Shift+Tab')
    const focus = await page.evaluate(async () => {
      await new Promise((drawn) => requestAnimationFrame(drawn))
      const element = document.activeElement as HTMLElement
      if (element === document.body) return
      const box = element.getBoundingClientRect()
      const header = (document.querySelector('header') as HTMLElement).getBoundingClientRect()
      const style = getComputedStyle(element)
      return {
        what: element.getAttribute('aria-label') ?? element.innerText ?? element.id,
        hidden: !element.closest('header') && box.top < header.bottom,
        outline: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
      }
    })
    if (!focus) break
    seen.push(focus.what)
    expect(focus, focus.what).toMatchObject({ hidden: false, outline: true })
  }
  expect(seen.at(-1)).toBe('Skip to the estimate form')
  expect(seen.length).toBeGreaterThan(12)
})
