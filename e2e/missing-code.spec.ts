import type { Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import {
  answerWith,
  expectLive,
  fillIn,
  formCode,
  functionUrl,
  holdPosts,
  press,
  readOfflineWords,
  submitButton,
  visitor,
  watchPosts,
} from './form.ts'
import { goOn, holdHydration, isHydrating } from './held-hydration.ts'
import { expect, phone, test } from './test.ts'

// Files that come late or not at all: a deploy has renamed them, or the line is bad.
test.use({ expectedErrors: /Failed to load resource|dynamically imported module/ })

const laterFiles = /\/assets\/(?!main-)[\w-]+\.js$/
const plainPost = 'application/x-www-form-urlencoded'

/** Opens the page at a time that stands still from then on. */
async function openOutOfTime(page: Page) {
  await page.clock.install({ time: 0 })
  await page.goto('/')
  await page.clock.pauseAt(60 * 60_000)
}

for (const [what, answer] of [
  ['are gone', { status: 404, contentType: 'text/html', body: 'Oops!' }],
  ['hang', undefined],
] as const) {
  test(`files for sending that ${what}: the browser posts, once`, async ({ page }) => {
    await page.clock.install()
    await page.route(laterFiles, (route) => answer && route.fulfill(answer))
    const posts = watchPosts(page)
    await page.goto('/')
    const typed = { ...visitor, address: `12 Renamed Files, which ${what}` }
    await fillIn(page, typed)
    await expectLive(page)
    await submitButton(page).evaluate((button: HTMLButtonElement) => {
      for (let press = 0; press < 3; press++) button.click()
    })
    if (!answer) await page.clock.fastForward(9_000)
    await expect(page.locator('#estimate-received')).toBeVisible()
    expect(posts).toHaveLength(1)
    const posted = new URLSearchParams(posts[0])
    expect(Object.fromEntries(posted)).toMatchObject({
      ...typed,
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(Number(posted.get('elapsedMs'))).toBeGreaterThan(0)
    // Nothing of it stays on the device.
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  })
}

test('files for sending lost with the line: the post waits for it', async ({ page, context }) => {
  await page.route(laterFiles, (route) => route.abort())
  await page.goto('/')
  const posts = await holdPosts(page)
  await fillIn(page)
  await expectLive(page)
  await page.route(/send-lead/, async (route) => {
    await context.setOffline(true)
    await route.abort()
  })
  await submitButton(page).click()
  await expect(page.getByText(words.notes.waiting)).toBeVisible()
  expect(posts).toEqual([])
  await context.setOffline(false)
  await expect.poll(() => posts).toEqual([plainPost])
})

test('a success is a success when the toast’s file hangs', async ({ page }) => {
  await page.route('**/assets/toasts-*.js', () => {})
  await answerWith(page, { status: 200 })
  await page.goto('/')
  await fillIn(page)
  await submitButton(page).click()
  await expect(page.getByText(words.notes.received)).toBeVisible()
  await expect(submitButton(page)).toBeEnabled()
})

test('a plain post after a try that failed is still the same lead', async ({ page }) => {
  const requests = await answerWith(page, { status: 422, body: '{}' })
  await page.goto('/')
  await fillIn(page)
  await press(page, 'failed')
  await page.route(formCode, (route) => route.abort())
  await page.goto('/?again')
  await submitButton(page).click()
  await expect.poll(() => requests.length).toBe(2)
  const posted = new URLSearchParams(requests[1]?.postData() ?? '')
  expect(posted.get('idempotencyKey')).toBe(requests[0]?.headers()['idempotency-key'])
})

test('code that arrives with the end of the wait makes one lead of one press', async ({ page }) => {
  const { promise: asked, resolve: deliverCode } = Promise.withResolvers<void>()
  await page.route(formCode, async (route) => {
    const response = await route.fetch()
    const body = holdHydration(await response.text())
    await asked
    await route.fulfill({ response, body })
  })
  const posts = await holdPosts(page)
  await openOutOfTime(page)
  await fillIn(page)
  await submitButton(page).click()
  await page.clock.fastForward(7_800)
  deliverCode()
  await expect.poll(() => page.evaluate(isHydrating)).toBe(true)
  await page.clock.fastForward(1_000)
  await page.evaluate(goOn)
  await expect(submitButton(page)).toHaveText('Submitting...')
  await expect.poll(() => posts).toEqual(['application/json'])
})

test('a press held offline goes out within 8 s of being online, also where the code hangs', async ({
  page,
  context,
}) => {
  await page.setViewportSize(phone)
  await page.route(formCode, () => {})
  await openOutOfTime(page)
  await fillIn(page)
  await context.setOffline(true)
  const posts = await holdPosts(page)
  await submitButton(page).click()
  await expect.poll(() => readOfflineWords(page)).toContain('You are offline')
  // The end of the form is below the screen; the words are not.
  const findAtBottom = () =>
    page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight - 40)?.id)
  expect(await findAtBottom()).toBe('estimate')
  await page.clock.fastForward(30_000)
  expect(posts).toEqual([])
  await context.setOffline(false)
  await expect.poll(() => readOfflineWords(page)).toBe('none')
  await page.clock.fastForward(7_900)
  expect(posts).toEqual([])
  await page.clock.fastForward(200)
  await expect.poll(() => posts).toEqual([plainPost])
})

test('missing code is asked for ever less often, but for a press', async ({ page }) => {
  let asked = 0
  await page.route(formCode, (route) => {
    asked += 1
    return route.fulfill({ status: 404 })
  })
  let posts = 0
  // No content: the page stays. A click waits for the answer to a post it has begun.
  await page.route(functionUrl, (route) => {
    posts += 1
    return route.fulfill({ status: 204 })
  })
  await openOutOfTime(page)
  for (let move = 0; move < 30; move++) {
    await page.mouse.move(move, move)
    await page.clock.fastForward(1_000)
  }
  // In 30 s: now, after 2 s, 4 s, 8 s and 16 s. The page itself fetches it ahead once.
  expect(asked).toBeLessThanOrEqual(6)
  await fillIn(page)
  const before = asked
  await submitButton(page).click()
  await expect.poll(() => posts).toBe(1)
  expect(asked).toBe(before + 1)
})
