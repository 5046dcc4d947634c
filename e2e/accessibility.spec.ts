import brand from '#leads/brand.json' with { type: 'json' }
import {
  desktop,
  expect,
  expectAccessible,
  formatRgb,
  scrollPage,
  scrollToEnd,
  test,
} from './test.ts'

for (const [size, viewport] of Object.entries({
  wide: desktop,
  narrow: { width: 320, height: 640 },
})) {
  test(`has no accessibility violations in any state on a ${size} screen`, async ({
    page,
    form,
  }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await expectAccessible(page)
    await scrollToEnd(page)
    await form.press('incomplete')
    // Wait until the toast has faded in, because axe measures colors.
    await expect(form.toast('incomplete')).toHaveCSS('opacity', '1')
    // A toast stays as long as the mouse is over it.
    await form.toast('incomplete').hover()
    await expectAccessible(page)
    await form.answerWith({ status: 200 })
    await form.fillIn()
    await form.press()
    // Here, neither the header nor the toast covers a field.
    await scrollPage(page, 0)
    await expectAccessible(page, '#estimate')

    // WCAG 2.2 requires targets of at least 24 by 24 px.
    const small = await page.locator('a, button, input, select').evaluateAll((elements) =>
      elements
        .map((element) => ({ html: element.outerHTML, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ html }) => html),
    )
    expect(small).toEqual([])
  })
}

test('shows focus on every element and never hides it under the header', async ({ page }) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await scrollToEnd(page)
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
  const footerLink = page.locator('footer a').last()
  expect(seen.at(-1)).toBe(await footerLink.innerText())
  expect(seen.length).toBeGreaterThan(12)
  // On a dark background, the outline must be light with any brand.
  await footerLink.focus()
  await expect(footerLink).toHaveCSS('outline-color', formatRgb(brand.palette.paper))
  expect((await walk('Shift+Tab')).length).toBeGreaterThan(12)
})
