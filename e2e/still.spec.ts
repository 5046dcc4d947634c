import { functionUrl } from './form.ts'
import {
  desktop,
  expect,
  expectNoShift,
  phone,
  readToTheEnd,
  scrollPage,
  test,
  untilDrawn,
  watchShifts,
} from './test.ts'

test.use({ expectedErrors: /Failed to load resource/ })

/** Runs in the page, as on a slow phone: what a timer should have taken away is still there. */
function delayTimers() {
  const start = window.setTimeout
  Object.assign(window, {
    setTimeout: (run: () => void, ms = 0) => start(run, ms > 100 ? ms + 60_000 : ms),
  })
}

for (const [size, viewport] of Object.entries({ desktop, phone })) {
  test(`${size}: the page stands still through error, sending, success`, async ({ page, form }) => {
    await page.setViewportSize(viewport)
    await page.addInitScript(delayTimers)
    await page.goto('/')
    await readToTheEnd(page)
    await scrollPage(page, 0)
    const watchFromNow = async () => {
      // What a late font moves is measured elsewhere (weight.spec.ts): here the page has arrived.
      await page.evaluate(async () => void (await document.fonts.ready))
      await untilDrawn(page)
      await page.evaluate(watchShifts, false)
    }
    await watchFromNow()
    // The picture too: drawn over a taller hero it would grow behind the words.
    const beside = page.locator('h1, .hero-statistics, .hero-picture')
    const findPlaces = () =>
      beside.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom + scrollY))
    const places = await findPlaces()
    const expectStill = async () => {
      // To the pixel: a scrolled page may round in its own way.
      if (size === 'desktop')
        for (const [index, place] of (await findPlaces()).entries())
          expect(place).toBeCloseTo(places[index] ?? 0, 0)
      await expectNoShift(page, 0.0001)
    }
    await form.name.focus()
    await form.expectLive()
    await form.press('incomplete')
    await expect(page.locator('.field-error')).toHaveCount(4)
    await expectStill()

    // Longer than the browser takes a shift for the visitor's own doing.
    const laterMs = 700
    for (const [status, note] of [
      [422, 'failed'],
      [200, 'received'],
    ] as const) {
      await page.route(functionUrl, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, laterMs))
        await route.fulfill({ status, contentType: 'application/json', body: '{}' })
      })
      await form.fillIn()
      // Filled in without keys, which the browser does not take for a visitor's doing: errors leave.
      await watchFromNow()
      await form.button.click()
      await expect(form.button).toBeDisabled()
      await expectStill()
      await expect(form.note(note)).toBeVisible()
      // One toast at a time: the earlier one neither shows through the new one nor takes its size.
      await expect(form.toast(note)).toBeVisible()
      await expect(page.locator('[data-sonner-toast]').filter({ visible: true })).toHaveCount(1)
      await expectStill()
    }
    const lines = await form.button.evaluate((button) => {
      const label = document.createRange()
      label.selectNodeContents(button)
      return label.getClientRects().length
    })
    expect(lines).toBe(1)
  })
}
