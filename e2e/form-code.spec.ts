import { form as words } from '#site/content.ts'
import { findForm, formCode, keyOf, visitor } from './form.ts'
import { test } from './own-site.ts'
import { expect } from './test.ts'

test.use({ expectedErrors: /Failed to load resource|dynamically imported module/ })

test('replaces an idempotency key that belongs to another lead and sends the lead', async ({
  page,
  form,
}) => {
  const requests = await form.answerWith({ status: 409, body: '{}' }, { status: 200 })
  await page.goto('/')
  await form.fillIn()
  await form.press()
  expect(requests.map((request) => request.postDataJSON())).toEqual([visitor, visitor])
  expect(keyOf(requests[1])).not.toBe(keyOf(requests[0]))
})

test('removes the outcome of a native post at the next submit', async ({ page, form }) => {
  await page.goto('/?again#estimate-failed')
  await expect(page.getByText(words.toasts.failed)).toBeVisible()
  await form.answerWith({ status: 200 })
  await form.fillIn()
  await form.press()
  await expect(page.getByText(words.toasts.failed)).toHaveCount(0)
})

test('redirects a browser that opens the function’s URL to the page', async ({ page, baseURL }) => {
  const form = findForm(page)
  await page.goto('/')
  await form.type()
  await page.goto('/functions/v1/submit-to-airtable')
  await expect(page).toHaveURL(`${baseURL}/`)
  expect(await form.readValues()).toEqual(visitor)
})

test('loads the form’s code when the mouse moves, and retries later after a failure', async ({
  page,
}) => {
  let loads = 0
  await page.route(formCode, (route) => {
    loads += 1
    return route.abort()
  })
  // On a metered connection, nothing is preloaded.
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  )
  await page.clock.install({ time: 0 })
  await page.goto('/')
  await page.clock.pauseAt(60 * 60_000)
  const move = (px: number) => page.mouse.move(px, px)
  await page.evaluate(async () => {
    dispatchEvent(new PointerEvent('pointermove', { clientX: 9, clientY: 9 }))
    await fetch('/robots.txt')
  })
  expect(loads).toBe(0)
  for (let px = 1; px < 50; px++) await move(px)
  await expect.poll(() => loads).toBe(1)
  await page.clock.runFor(2_000)
  await move(1)
  await expect.poll(() => loads).toBe(2)
})
