import { functionUrl } from './form.ts'
import {
  desktop,
  expect,
  expectNoShift,
  phone,
  scrollPage,
  test,
  waitForPaint,
  watchShifts,
} from './test.ts'

test.use({ expectedErrors: /Failed to load resource/ })

/** Runs in the page. Delays timers, so that elements are removed late, as on a slow phone. */
function delayTimers() {
  const start = window.setTimeout
  Object.assign(window, {
    setTimeout: (run: () => void, ms = 0) => start(run, ms > 100 ? ms + 60_000 : ms),
  })
}

test('does not move the page during errors, sending, and success', async ({ page, form }) => {
  await page.setViewportSize(desktop)
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  await page.evaluate(delayTimers)
  // Wait for the font, because weight.spec.ts tests shifts from a late font.
  await page.evaluate(async () => void (await document.fonts.ready))
  // Include the picture, because it must not grow with the hero.
  const beside = page.locator('h1, .hero-statistics, .hero-picture')
  const findPositions = async () => {
    await waitForPaint(page)
    return beside.evaluateAll((all) =>
      all.map((one) => Math.round(one.getBoundingClientRect().bottom + scrollY)),
    )
  }
  const positions = await findPositions()
  await form.press('incomplete')
  await expect(page.locator('.field-error:not(:empty)')).toHaveCount(4)
  expect(await findPositions()).toEqual(positions)

  // The response must come later, because browsers ignore shifts within 500 ms of an input.
  const afterInputMs = 700
  for (const [viewport, status, note] of [
    [desktop, 422, 'failed'],
    [desktop, 200, 'received'],
    [phone, 422, 'failed'],
    // On this screen, the whole button is in view, but the note below it is not.
    [{ width: 390, height: 844 }, 422, 'failed'],
    [phone, 200, 'received'],
  ] as const) {
    await page.setViewportSize(viewport)
    const answer = Promise.withResolvers<void>()
    await page.route(functionUrl, async (route) => {
      await answer.promise
      await route.fulfill({ status, contentType: 'application/json', body: '{}' })
    })
    await scrollPage(page, 0)
    await form.fillIn()
    await form.button.click()
    await expect(form.button).toBeDisabled()
    await page.waitForTimeout(afterInputMs)
    await page.evaluate(watchShifts, false)
    answer.resolve()
    const message = note === 'failed' ? form.note(note) : form.received
    await expect(message).toBeInViewport({ ratio: 1 })
    // Only one toast is visible at a time.
    await expect(form.toast(note)).toBeVisible()
    await expect(page.locator('[data-sonner-toast]').filter({ visible: true })).toHaveCount(1)
    // On a phone, errors push down the content below the form.
    if (viewport === desktop) expect(await findPositions()).toEqual(positions)
    await expectNoShift(page, 0.0001)
    const lines = await form.button.evaluate((button) => {
      const label = document.createRange()
      label.selectNodeContents(button)
      return label.getClientRects().length
    })
    expect(lines).toBe(1)
  }
})
