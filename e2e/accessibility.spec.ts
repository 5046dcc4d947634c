import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import { submitButton, toast } from './form.ts'
import { desktop, expect, scrollPage, test } from './test.ts'

test.use({ expectedErrors: /there is no page at|status of 404/ })

// Among them: headings descend without a gap, everything stands in a landmark.
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

async function findViolations(page: Page) {
  const { violations } = await new AxeBuilder({ page }).withTags(rules).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

/** Everything lazy is loaded. */
async function settle(page: Page) {
  await page.evaluate(async () => {
    for (let top = 0; top < document.body.scrollHeight; top += 400) {
      scrollTo({ top, behavior: 'instant' })
      await new Promise((drawn) => requestAnimationFrame(drawn))
    }
  })
}

for (const [size, viewport] of Object.entries({
  wide: desktop,
  narrow: { width: 320, height: 640 },
})) {
  test(`axe finds nothing, ${size}: at the top, and scrolled with errors and a toast`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    expect(await findViolations(page)).toEqual([])
    await settle(page)
    await submitButton(page).click()
    // Colors are measured when the toast has faded in.
    await expect(toast(page, words.toasts.incomplete)).toHaveCSS('opacity', '1')
    expect(await findViolations(page)).toEqual([])

    // Every pressable thing is at least 24 px either way.
    const small = await page.locator('a, button, input, select').evaluateAll((elements) =>
      elements
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ element }) => element.outerHTML),
    )
    expect(small).toEqual([])
  })
}

test('axe finds nothing on the 404 page', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto('/nowhere')
  expect(await findViolations(page)).toEqual([])
})

test('focus is visible, goes through the whole page and back, and never hides under the header', async ({
  page,
}) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await settle(page)
  await scrollPage(page, 0)
  const walk = async (key: 'Tab' | 'Shift+Tab') => {
    const seen: string[] = []
    for (let press = 0; press < 40; press++) {
      await page.keyboard.press(key)
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
    return seen
  }
  const seen = await walk('Tab')
  expect(seen[0]).toBe('Skip to the estimate form')
  expect(seen.at(-1)).toMatch(/^\(\d{3}\)/)
  expect(seen.length).toBeGreaterThan(12)
  await page.locator('footer a').focus()
  expect((await walk('Shift+Tab')).length).toBeGreaterThan(12)
})
