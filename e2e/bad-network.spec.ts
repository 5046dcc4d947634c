import { functionUrl, keyOf, visitor } from './form.ts'
import { expect, test } from './test.ts'

test.use({ expectedErrors: /Failed to load resource/ })

test.beforeEach(async ({ page }) => {
  await page.clock.install()
  await page.goto('/')
})

test('retries a failed request once, with the same key unless it belongs to another lead', async ({
  form,
}) => {
  const keyReused = { status: 409, body: '{}' }
  const keys = new Set<string | undefined>()
  for (const [index, [first, second]] of [
    ['cut' as const, { status: 200 }],
    // A backend may also return other JSON, plain text, or an empty body.
    [{ status: 500, body: '<html>' }, { body: '{"id":7}' }],
    [{ status: 503, headers: { 'retry-after': '1' } }, { status: 204 }],
    [
      { status: 429, headers: { 'retry-after': '1' } },
      { contentType: 'text/plain', body: 'ok' },
    ],
    [keyReused, { status: 200 }],
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
    expect(firstKey).toMatch(/^[0-9a-f]{32}$/)
    expect(secondKey === firstKey).toBe(first !== keyReused)
    keys.add(firstKey)
    keys.add(secondKey)
  }
  // Each lead has a different key.
  expect(keys.size).toBe(6)
})

test('aborts a request after 10 s without a response and retries once', async ({ page, form }) => {
  let requests = 0
  await page.route(functionUrl, (route) => {
    requests += 1
    // The first request gets no response.
    if (requests > 1) return route.fulfill({ json: { ok: true } })
  })
  await form.fillIn()
  await page.clock.pauseAt(Date.now() + 60_000)
  await form.button.click()
  await expect.poll(() => requests).toBe(1)
  // The note appears before the timeout.
  await page.clock.runFor(8_000)
  await expect(form.note('slow')).toBeVisible()
  await page.clock.runFor(1_500)
  await expect(form.button).toHaveText('Submitting...')
  expect(requests).toBe(1)
  await form.runClockUntil(() => requests === 2)
  await expect(form.note('received')).toBeVisible()
  await expect(form.note('slow')).toHaveCount(0)
})

test('shows a note while offline and sends the lead when the connection is back', async ({
  page,
  context,
  form,
}) => {
  const requests = await form.answerWith({ status: 200 })
  await form.fillIn()
  await context.setOffline(true)
  await expect(form.note('offline')).toBeVisible()
  await form.button.click()
  await expect(form.note('waiting')).toBeVisible()
  await expect(form.button).toHaveText('Submitting...')
  await form.address.fill('2 Corrected While Waiting')
  expect(requests).toHaveLength(0)
  await context.setOffline(false)
  await expect(form.toast('received')).toBeVisible()
  const addresses = requests.map((request) => request.postDataJSON().address)
  expect(addresses).toEqual(['2 Corrected While Waiting'])
  await expect(form.note('waiting')).toHaveCount(0)

  // If the connection drops while sending, the form waits for it and then retries once.
  const keys: (string | undefined)[] = []
  await page.route(functionUrl, async (route) => {
    keys.push(keyOf(route.request()))
    if (keys.length > 1) return route.fulfill({ json: { ok: true } })
    await context.setOffline(true)
    await route.abort('internetdisconnected')
  })
  await form.fillIn()
  await form.button.click()
  await expect(form.note('waiting')).toBeVisible()
  // Longer than the usual delay before a retry.
  await page.clock.runFor(30_000)
  expect(keys).toHaveLength(1)
  await expect(form.toast('failed')).toHaveCount(0)
  await context.setOffline(false)
  await expect(form.note('received')).toBeVisible()
  expect(keys).toEqual([keys[0], keys[0]])
})
