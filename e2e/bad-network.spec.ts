import { form as words } from '#site/content.ts'
import {
  answerWith,
  fields,
  fillIn,
  functionUrl,
  keyOf,
  runClockUntil,
  submitButton,
  toast,
  visitor,
} from './form.ts'
import { expect, test } from './test.ts'

test.use({ expectedErrors: /Failed to load resource/ })

test.describe('a call that fails', () => {
  test('is tried once more under the same key, and then is a success', async ({ page }) => {
    await page.clock.install()
    await page.goto('/')
    const keys: (string | undefined)[] = []
    for (const [index, first] of [
      'cut' as const,
      { status: 500, body: '<html>' },
      { status: 503, headers: { 'retry-after': '1' } },
      { status: 429, headers: { 'retry-after': '1' } },
    ].entries()) {
      const requests = await answerWith(page, first, { status: 200 })
      await fillIn(page, { ...visitor, address: `${index} Ridge Rd` })
      await submitButton(page).click()
      await runClockUntil(page, () => requests.length === 2)
      await expect(fields(page).address).toHaveValue('')
      await expect(toast(page, words.toasts.received)).toBeVisible()
      const [firstKey, secondKey] = requests.map(keyOf)
      expect(firstKey).toMatch(/^[0-9a-f]{32}$/)
      expect(secondKey).toBe(firstKey)
      keys.push(firstKey)
    }
    // Each lead has its own.
    expect(new Set(keys).size).toBe(4)
  })

  test('to answer within 10 s is broken off and tried once more', async ({ page }) => {
    await page.clock.install()
    let calls = 0
    await page.route(functionUrl, (route) => {
      calls += 1
      // The first is never answered.
      if (calls > 1) return route.fulfill({ json: { ok: true } })
    })
    await page.goto('/')
    await fillIn(page)
    await page.clock.pauseAt(Date.now() + 60_000)
    await submitButton(page).click()
    await expect.poll(() => calls).toBe(1)
    // Nobody in a hurry looks at a button for so long without a word.
    await page.clock.runFor(8_000)
    await expect(page.getByText(words.notes.slow)).toBeVisible()
    await page.clock.runFor(1_500)
    await expect(submitButton(page)).toHaveText('Submitting...')
    expect(calls).toBe(1)
    await runClockUntil(page, () => calls === 2)
    await expect(page.getByText(words.notes.received)).toBeVisible()
    await expect(page.getByText(words.notes.slow)).toHaveCount(0)
  })
})

test.describe('offline', () => {
  test('the form says so, and sends by itself when the connection is back', async ({
    page,
    context,
  }) => {
    await page.goto('/')
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await context.setOffline(true)
    await expect(page.getByText(words.notes.offline)).toBeVisible()
    await submitButton(page).click()
    await expect(page.getByText(words.notes.waiting)).toBeVisible()
    await expect(submitButton(page)).toHaveText('Submitting...')
    await fields(page).address.fill('2 Corrected While Waiting')
    expect(requests).toHaveLength(0)
    await context.setOffline(false)
    await expect(toast(page, words.toasts.received)).toBeVisible()
    const addresses = requests.map((request) => request.postDataJSON().address)
    expect(addresses).toEqual(['2 Corrected While Waiting'])
    await expect(page.getByText(words.notes.waiting)).toHaveCount(0)
  })

  test('while sending is waited out, then it is sent once more', async ({ page, context }) => {
    await page.clock.install()
    await page.goto('/')
    const keys: (string | undefined)[] = []
    await page.route(functionUrl, async (route) => {
      keys.push(keyOf(route.request()))
      if (keys.length > 1) return route.fulfill({ json: { ok: true } })
      await context.setOffline(true)
      await route.abort('internetdisconnected')
    })
    await fillIn(page)
    await submitButton(page).click()
    await expect(page.getByText(words.notes.waiting)).toBeVisible()
    // Longer than the second try would have waited.
    await page.clock.runFor(30_000)
    expect(keys).toHaveLength(1)
    await expect(toast(page, words.toasts.failed)).toHaveCount(0)
    await context.setOffline(false)
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(keys[1]).toBe(keys[0])
  })
})
