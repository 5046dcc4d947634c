import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { desktop, expect, phone, test } from './test.ts'

test.use({ expectedErrors: /there is no page at|status of 404/ })

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

async function findViolations(page: Page) {
  const { violations } = await new AxeBuilder({ page }).withTags(rules).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

/** Everything lazy is loaded, and nothing is moving any more. */
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
  test(`axe finds nothing on the landing page, ${size}, at the top and scrolled`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    expect(await findViolations(page)).toEqual([])
    await settle(page)
    expect(await findViolations(page)).toEqual([])
  })

  test(`axe finds nothing in a form full of errors and toasts, ${size}`, async ({ page }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await page.locator('#estimate button').click()
    await expect(page.getByText('Please fill in all required fields')).toBeVisible()
    // Colours are measured when the toast has faded in.
    await page.waitForTimeout(600)
    expect(await findViolations(page)).toEqual([])
  })

  test(`axe finds nothing on the 404 page, ${size}`, async ({ page }) => {
    await page.setViewportSize(viewport)
    await page.goto('/nowhere')
    expect(await findViolations(page)).toEqual([])
  })
}

test('every pressable thing is at least 24 px either way', async ({ page }) => {
  for (const viewport of [desktop, phone]) {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await settle(page)
    const small = await page.locator('a, button, input, select').evaluateAll((elements) =>
      elements
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ element }) => element.outerHTML),
    )
    expect(small).toEqual([])
  }
})

test('focus is visible, goes through the whole page, and never hides under the header', async ({
  page,
}) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await settle(page)
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
  const seen: string[] = []
  for (let press = 0; press < 40; press++) {
    await page.keyboard.press('Tab')
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)))
    const focus = await page.evaluate(() => {
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
  expect(seen[0]).toBe('Skip to the estimate form')
  expect(seen.at(-1)).toMatch(/^\(\d{3}\)/)
  expect(seen.length).toBeGreaterThan(12)
})

test('focus going backwards does not hide under the header either', async ({ page }) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await settle(page)
  await page.locator('footer a').focus()
  for (let press = 0; press < 20; press++) {
    await page.keyboard.press('Shift+Tab')
    const covered = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      if (element === document.body || element.closest('header')) return false
      const header = (document.querySelector('header') as HTMLElement).getBoundingClientRect()
      return element.getBoundingClientRect().top < header.bottom
    })
    expect(covered).toBe(false)
  }
})

test('at 200 % zoom everything is there and nothing is cut off sideways', async ({ page }) => {
  // 200 % on a 1280 px screen is what a 640 px screen shows.
  await page.setViewportSize({ width: 640, height: 400 })
  await page.goto('/')
  await settle(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(640)
  await expect(page.getByLabel('Full name')).toBeVisible()
  // Text alone at twice its size, on the narrowest phone.
  await page.setViewportSize({ width: 320, height: 640 })
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
})

test('headings descend without a gap, and the page has its landmarks', async ({ page }) => {
  await page.goto('/')
  const levels = await page
    .locator('h1, h2, h3, h4, h5, h6')
    .evaluateAll((headings) => headings.map((heading) => Number(heading.tagName[1])))
  expect(levels[0]).toBe(1)
  for (const [index, level] of levels.entries()) {
    expect(level - (levels[index - 1] ?? level)).toBeLessThanOrEqual(1)
  }
  for (const role of ['banner', 'main', 'contentinfo', 'navigation'] as const) {
    await expect(page.getByRole(role)).toHaveCount(1)
  }
})
