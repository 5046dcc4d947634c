import type { Page } from '@playwright/test'
import { form as words } from '../site/content.ts'
import {
  answerWith,
  fields,
  fillIn,
  functionUrl,
  readValues,
  submitButton,
  toast,
  visitor,
} from './form.ts'
import { expect, phone as phoneScreen, test } from './test.ts'

test.use({ expectedErrors: /Failed to load resource/ })

const keyOf = (request: { headers(): Record<string, string> } | undefined) =>
  request?.headers()['idempotency-key']

const draft = (page: Page) => page.evaluate(() => localStorage.getItem('estimate-draft'))

test.describe('a call that fails', () => {
  for (const [what, first] of [
    ['cut', 'cut'],
    ['answered 500', { status: 500, body: '<html>' }],
    ['answered 503', { status: 503, headers: { 'retry-after': '1' } }],
    ['answered 429', { status: 429, headers: { 'retry-after': '1' } }],
  ] as const) {
    test(`${what} is tried once more under the same key, and then is a success`, async ({
      page,
    }) => {
      const keys: (string | undefined)[] = []
      await page.route(functionUrl, (route) => {
        keys.push(keyOf(route.request()))
        if (keys.length > 1) return route.fulfill({ json: { ok: true } })
        return first === 'cut' ? route.abort('connectionreset') : route.fulfill(first)
      })
      await page.goto('/')
      await fillIn(page)
      await submitButton(page).click()
      await expect(toast(page, words.toasts.received)).toBeVisible()
      expect(keys).toHaveLength(2)
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
      expect(keys[1]).toBe(keys[0])
    })
  }

  test('twice is the spec’s failure, and pressing again later is still the same lead', async ({
    page,
  }) => {
    await page.goto('/')
    const requests = await answerWith(page, { status: 500 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.failed)).toBeVisible()
    expect(requests).toHaveLength(2)
    await page.reload()
    const later = await answerWith(page, { status: 200 })
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(keyOf(later[0])).toBe(keyOf(requests[0]))
  })

  test('for what was typed is not tried again', async ({ page }) => {
    await page.goto('/')
    const requests = await answerWith(page, { status: 422 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.failed)).toBeVisible()
    expect(requests).toHaveLength(1)
  })

  test('to answer within 10 s is broken off and tried once more', async ({ page }) => {
    let calls = 0
    await page.route(functionUrl, (route) => {
      calls++
      // The first is never answered.
      if (calls > 1) return route.fulfill({ json: { ok: true } })
    })
    await page.goto('/')
    await fillIn(page)
    const pressedAt = Date.now()
    await submitButton(page).click()
    await expect(submitButton(page)).toHaveText('Submitting...')
    // Nobody in a hurry looks at a button for so long without a word.
    await expect(page.getByText(words.notes.slow)).toBeVisible({ timeout: 8_000 })
    await expect(toast(page, words.toasts.received)).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText(words.notes.slow)).toHaveCount(0)
    expect(calls).toBe(2)
    expect(Date.now() - pressedAt).toBeGreaterThan(10_000)
  })

  test('with other words next time is another lead', async ({ page }) => {
    await page.goto('/')
    const requests = await answerWith(page, { status: 422 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.failed)).toBeVisible()
    await fields(page).address.fill('2 Other St')
    await submitButton(page).click()
    await expect.poll(() => requests.length).toBe(2)
    expect(keyOf(requests[1])).not.toBe(keyOf(requests[0]))
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
    await fields(page).address.fill('2 Mended While Waiting')
    expect(requests).toHaveLength(0)
    await context.setOffline(false)
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests.map((request) => request.postDataJSON().address)).toEqual([
      '2 Mended While Waiting',
    ])
    await expect(page.getByText(words.notes.waiting)).toHaveCount(0)
  })
})

test('a connection lost while sending is waited for, then it is sent once more', async ({
  page,
  context,
}) => {
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
  await page.waitForTimeout(1_500)
  expect(keys).toHaveLength(1)
  await expect(toast(page, words.toasts.failed)).toHaveCount(0)
  await context.setOffline(false)
  await expect(toast(page, words.toasts.received)).toBeVisible()
  expect(keys[1]).toBe(keys[0])
})

test.describe('what was typed', () => {
  test('is not overwritten by what is typed next before the form’s code is there', async ({
    page,
  }) => {
    await page.goto('/')
    await fillIn(page)
    await page.route('**/assets/main-*.js', () => {})
    await page.goto('/?again')
    await fields(page).name.press('End')
    await page.keyboard.type(' X')
    expect(await readValues(page)).toEqual({ ...visitor, name: 'Jane Doe X' })
    expect(await draft(page)).toContain(visitor.address)
  })

  test('survives a reload, without a further touch', async ({ page }) => {
    await page.goto('/')
    await fillIn(page)
    await page.reload()
    await expect(fields(page).address).toHaveValue(visitor.address)
    expect(await readValues(page)).toEqual(visitor)
  })

  test('survives a closed tab, on this device only', async ({ page, context }) => {
    await page.goto('/')
    await fillIn(page, { name: 'Jane Doe', email: 'jane@example.com' })
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.close()
    const next = await context.newPage()
    await next.goto('/')
    await expect(fields(next).email).toHaveValue('jane@example.com')
    expect(requests.filter((url) => url.includes('functions'))).toEqual([])
  })

  test('is gone after a success, and stays gone', async ({ page }) => {
    await page.goto('/')
    await answerWith(page, { status: 200 })
    await fillIn(page)
    expect(await draft(page)).toContain('jane@example.com')
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(await draft(page)).toBeNull()
    await page.reload()
    await page.mouse.move(5, 5)
    await fields(page).name.focus()
    expect(Object.values(await readValues(page)).join('')).toBe('')
  })

  test('is gone after a day', async ({ page }) => {
    await page.goto('/')
    await fillIn(page)
    await page.clock.setFixedTime(Date.now() + 25 * 60 * 60_000)
    await page.goto('/?tomorrow')
    await expect.poll(() => draft(page)).toBeNull()
    await expect(fields(page).name).toHaveValue('')
  })

  test('does not need storage to be allowed', async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('blocked', 'SecurityError')
        },
      })
    })
    await page.goto('/')
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests).toHaveLength(1)
  })
})

test.describe('a press before the form’s code', () => {
  test('that comes 5 s late is acted on once', async ({ page }) => {
    await page.route('**/assets/main-*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      await route.continue()
    })
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.postData() ?? '')
    })
    await page.goto('/')
    await fillIn(page)
    await submitButton(page).click()
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible({ timeout: 15_000 })
    expect(posts).toEqual([JSON.stringify(visitor)])
  })

  test('that never comes goes out the plain way, once, and the page says so', async ({ page }) => {
    await page.clock.install()
    await page.route('**/assets/main-*.js', () => {})
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.postData() ?? '')
    })
    await page.goto('/')
    await fillIn(page, { ...visitor, name: 'Plain Way' })
    await submitButton(page).click()
    await page.clock.runFor(9_000)
    await expect(page.getByText(words.toasts.received)).toBeInViewport()
    expect(posts).toHaveLength(1)
    expect(Number(new URLSearchParams(posts[0]).get('elapsedMs'))).toBeGreaterThan(0)
    // A success leaves no draft, and its sentence does not come back with a reload.
    await expect(page).toHaveURL('/')
    expect(await draft(page)).toBeNull()
    await page.reload()
    await expect(page.getByText(words.toasts.received)).toHaveCount(0)
    expect(Object.values(await readValues(page)).join('')).toBe('')
  })

  test('is not followed by a second one while the plain post is on its way', async ({ page }) => {
    await page.clock.install()
    let deliverCode = () => {}
    await page.route('**/assets/main-*.js', (route) => {
      deliverCode = () => void route.continue()
    })
    const posts: string[] = []
    await page.route(functionUrl, (route) => {
      posts.push(route.request().headers()['content-type'] ?? '')
    })
    await page.goto('/')
    await fillIn(page)
    const button = await submitButton(page).boundingBox()
    const press = () => page.mouse.click((button?.x ?? 0) + 60, (button?.y ?? 0) + 20)
    await press()
    await page.clock.runFor(9_000)
    await expect.poll(() => posts.length).toBe(1)
    deliverCode()
    // The page cannot be asked anything while it is leaving; time for the code to come and the press to count.
    for (let again = 0; again < 3; again++) {
      await new Promise((resolve) => setTimeout(resolve, 700))
      await press()
    }
    expect(posts).toEqual(['application/x-www-form-urlencoded'])
  })

  test('while offline waits for the connection, too', async ({ page, context }) => {
    await page.route('**/assets/main-*.js', (route) => route.abort('internetdisconnected'))
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url())
    })
    await page.setViewportSize(phoneScreen)
    await page.goto('/')
    await context.setOffline(true)
    await fillIn(page)
    await submitButton(page).click()
    const said = () =>
      page.locator('#estimate').evaluate((form) => getComputedStyle(form, '::after').content)
    await expect.poll(said).toContain('You are offline')
    // The end of the form is below the screen; the words are not.
    const standsInView = () =>
      page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight - 40)?.id)
    expect(await standsInView()).toBe('estimate')
    await page.unroute('**/assets/main-*.js')
    expect(posts).toEqual([])
    await context.setOffline(false)
    await expect(page.getByText(words.toasts.received)).toBeVisible()
    expect(posts).toHaveLength(1)
  })
})

test('what a plain post came to is gone with the next try', async ({ page }) => {
  await page.goto('/#estimate-failed')
  await expect(page.getByText(words.toasts.failed)).toBeVisible()
  await answerWith(page, { status: 200 })
  await fillIn(page)
  await submitButton(page).click()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  await expect(page.getByText(words.toasts.failed)).toHaveCount(0)
})
