import brand from '#leads/brand.json' with { type: 'json' }
import {
  desktop,
  expect,
  expectAccessible,
  formatRgb,
  readToTheEnd,
  scrollPage,
  test,
} from './test.ts'

for (const [size, viewport] of Object.entries({
  wide: desktop,
  narrow: { width: 320, height: 640 },
})) {
  test(`axe finds nothing, ${size}, whatever the page shows`, async ({ page, form }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await expectAccessible(page)
    await readToTheEnd(page)
    await form.press('incomplete')
    // Colors are measured when the toast has faded in.
    await expect(form.toast('incomplete')).toHaveCSS('opacity', '1')
    await expectAccessible(page)

    // Every pressable thing is at least 24 px either way.
    const small = await page.locator('a, button, input, select').evaluateAll((elements) =>
      elements
        .map((element) => ({ html: element.outerHTML, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ html }) => html),
    )
    expect(small).toEqual([])
  })
}

test('focus is visible everywhere, and never hides under the header', async ({ page }) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await readToTheEnd(page)
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
  // Light on what is dark, for any brand.
  const footerLink = page.locator('footer a')
  await footerLink.focus()
  await expect(footerLink).toHaveCSS('outline-color', formatRgb(brand.palette.paper))
  expect((await walk('Shift+Tab')).length).toBeGreaterThan(12)
})
