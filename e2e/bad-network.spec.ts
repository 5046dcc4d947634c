import { functionUrl, keyOf, reportOffline, visitor } from './form.ts'
import { expect, test } from './test.ts'

test.use({ expectedErrors: /Failed to load resource/ })

test.beforeEach(({ page }) => page.clock.install())

test('retries a failed request once, with the same key unless it belongs to another lead', async ({
  page,
  form,
}) => {
  await page.goto('/')
  const keyReused = { status: 409, body: '{}' }
  const keys = new Set<string | undefined>()
  for (const [index, [first, second]] of [
    // A backend may also report success with other JSON, plain text, or an empty body.
    ['cut' as const, { body: '{"id":7}' }],
    [{ status: 503, headers: { 'retry-after': '1' } }, { status: 204 }],
    [{ status: 429 }, { status: 200 }],
    [keyReused, { contentType: 'text/plain', body: 'ok' }],
  ].entries()) {
    const requests = await form.answerWith(first, second)
    const lead = { ...visitor, address: `${index} Ridge Rd` }
    await form.fillIn(lead)
    await form.button.click()
    await form.waitForRequest(requests)
    await form.runClockUntil(() => requests.length === 2)
    await expect(form.address).toHaveValue('')
    await expect(form.toast('received')).toBeVisible()
    expect(requests.map((request) => request.postDataJSON())).toEqual([lead, lead])
    const [firstKey, secondKey] = requests.map(keyOf)
    expect(firstKey).toMatch(/^\d+(-\d+){3}$/)
    expect(secondKey === firstKey).toBe(first !== keyReused)
    keys.add(firstKey)
    keys.add(secondKey)
  }
  // Each of the four leads has its own key. The last one needed a second key.
  expect(keys.size).toBe(5)
})

test('aborts a request after 10 s without a response and retries once', async ({ page, form }) => {
  let requests = 0
  await page.route(functionUrl, (route) => {
    requests += 1
    // The first request gets no response.
    if (requests > 1) return route.fulfill({ json: { ok: true } })
  })
  await page.goto('/')
  await form.fillIn()
  await page.clock.pauseAt(Date.now() + 60_000)
  await form.button.click()
  await expect.poll(() => requests).toBe(1)
  // The note appears below the button, before the request times out.
  await form.button.evaluate((button) => button.scrollIntoView({ block: 'end' }))
  await page.clock.runFor(8_000)
  await expect(form.note('slow')).toBeInViewport({ ratio: 1 })
  await page.clock.runFor(1_500)
  await expect(form.button).toHaveText('Submitting...')
  expect(requests).toBe(1)
  await form.runClockUntil(() => requests === 2)
  await expect(form.received).toBeVisible()
  await expect(form.note('slow')).toHaveCount(0)
})

test('shows a note while offline and sends the lead when the connection is back', async ({
  page,
  context,
  form,
}) => {
  let isOffline = true
  const keys: (string | undefined)[] = []
  const addresses: string[] = []
  await page.route(functionUrl, async (route) => {
    keys.push(keyOf(route.request()))
    // Don't go offline before the first request, because the code that sends leads must load first.
    if (isOffline) {
      await context.setOffline(true)
      return route.abort('internetdisconnected')
    }
    addresses.push(route.request().postDataJSON().address)
    return route.fulfill({ json: { ok: true } })
  })
  await page.goto('/')
  await form.fillIn()
  await expect(form.note('waiting')).toHaveCount(0)
  await form.button.click()
  await expect(form.note('waiting')).toBeVisible()
  await expect(form.button).toHaveText('Submitting...')
  // The note stays while the form retries with the same key.
  await form.runClockUntil(() => keys.length === 3)
  expect(new Set(keys).size).toBe(1)
  await expect(form.note('waiting')).toBeVisible()
  await expect(form.toast('failed')).toHaveCount(0)
  await form.address.fill('2 Corrected While Waiting')
  isOffline = false
  await context.setOffline(false)
  await expect(form.toast('received')).toBeVisible()
  expect(addresses).toEqual(['2 Corrected While Waiting'])
  await expect(form.note('waiting')).toHaveCount(0)
})

test('sends immediately if the browser wrongly reports that it is offline', async ({
  page,
  form,
}) => {
  const requests = await form.answerWith({ status: 200 }, { status: 422, body: '{}' })
  await page.addInitScript(reportOffline)
  await page.goto('/')
  await form.fillIn()
  await form.press()
  expect(requests).toHaveLength(1)

  // A response shows that the browser is online, so the note reports a failure.
  await form.fillIn()
  await form.press('failed')
  await expect(form.note('failed')).toBeVisible()
  expect(requests).toHaveLength(2)
})
