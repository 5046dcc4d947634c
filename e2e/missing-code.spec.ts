import type { Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import { formCode, keyOf, noValues, visitor } from './form.ts'
import { expect, phone, test } from './test.ts'

// Files that come late or not at all: a deploy has renamed them, or the line is bad. Every order of
// press, code, time and line: load-form.test.ts; code that comes as the wait ends: firefox-form.prove.ts.
test.use({ expectedErrors: /Failed to load resource|dynamically imported module/ })

const laterFiles = /\/assets\/(?!main-)[\w-]+\.js$/
const plainPost = 'application/x-www-form-urlencoded'

/** Opens the page at a time that stands still from then on. */
async function openOutOfTime(page: Page) {
  await page.clock.install({ time: 0 })
  await page.goto('/')
  await page.clock.pauseAt(60 * 60_000)
}

test('code that comes 5 s late: two presses are one lead', async ({ page, form }) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route(formCode, async (route) => {
    await held
    await route.continue()
  })
  const posts = form.watchPosts()
  await openOutOfTime(page)
  await form.fillIn()
  await form.button.click()
  await form.button.click()
  await page.clock.runFor(5_000)
  expect(posts).toEqual([])
  await page.clock.resume()
  release()
  await expect(form.toast('received')).toBeVisible()
  await expect(page).toHaveURL('/')
  expect(posts).toEqual([JSON.stringify(visitor)])
})

test('code is asked for when the mouse moves, not while it rests; missing, not at every move', async ({
  page,
}) => {
  let asked = 0
  await page.route(formCode, (route) => {
    asked += 1
    return route.abort()
  })
  // Nothing is fetched ahead where data is dear.
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  )
  await openOutOfTime(page)
  const move = (px: number) => page.mouse.move(px, px)
  await page.evaluate(async () => {
    dispatchEvent(new PointerEvent('pointermove', { clientX: 9, clientY: 9 }))
    await fetch('/robots.txt')
  })
  expect(asked).toBe(0)
  for (let px = 1; px < 50; px++) await move(px)
  await expect.poll(() => asked).toBe(1)
  await page.clock.runFor(2_000)
  await move(1)
  await expect.poll(() => asked).toBe(2)
})

test('code that never comes: the press goes out the plain way, once', async ({ page, form }) => {
  const said = page.getByText(words.toasts.received)
  await page.clock.install()
  await page.route(formCode, () => {})
  const posts = form.watchPosts()
  await page.goto('/')
  await form.fillIn({ ...visitor, name: 'Plain Way' })
  await form.button.click()
  await page.clock.runFor(9_000)
  await expect(said).toBeInViewport()
  expect(posts).toHaveLength(1)
  expect(Number(new URLSearchParams(posts[0]).get('elapsedMs'))).toBeGreaterThan(0)
  // A success leaves no draft, and its sentence does not come back with a reload.
  await expect(page).toHaveURL('/')
  expect(await form.readDraft()).toBeNull()
  await page.reload()
  await expect(said).toHaveCount(0)
  expect(await form.readValues()).toEqual(noValues)

  // What a plain post came to is gone with the next try.
  await page.unroute(formCode)
  await page.goto('/?again#estimate-failed')
  await expect(page.getByText(words.toasts.failed)).toBeVisible()
  await form.answerWith({ status: 200 })
  await form.fillIn()
  await form.press()
  await expect(page.getByText(words.toasts.failed)).toHaveCount(0)
})

for (const [what, answer] of [
  ['are gone', { status: 404, contentType: 'text/html', body: 'Oops!' }],
  ['hang', undefined],
] as const) {
  test(`files for sending that ${what}: the browser posts, once`, async ({ page, form }) => {
    await page.clock.install()
    await page.route(laterFiles, (route) => answer && route.fulfill(answer))
    const posts = form.watchPosts()
    await page.goto('/')
    const typed = { ...visitor, address: `12 Renamed Files, which ${what}` }
    await form.fillIn(typed)
    await form.expectLive()
    await form.button.evaluate((button: HTMLButtonElement) => {
      for (let press = 0; press < 3; press++) button.click()
    })
    if (!answer) await page.clock.fastForward(9_000)
    await expect(page.locator('#estimate-received')).toBeVisible()
    expect(posts).toHaveLength(1)
    const posted = Object.fromEntries(new URLSearchParams(posts[0]))
    expect(posted).toMatchObject({
      ...typed,
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      elapsedMs: expect.stringMatching(/^[1-9]\d*$/),
    })
    // Nothing of it stays on the device.
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  })
}

test('files for sending lost with the line: the post waits for it', async ({
  page,
  context,
  form,
}) => {
  await page.route(laterFiles, (route) => route.abort())
  await page.goto('/')
  const posts = await form.holdPosts()
  await form.fillIn()
  await form.expectLive()
  await page.route(/send-lead/, async (route) => {
    await context.setOffline(true)
    await route.abort()
  })
  await form.button.click()
  await expect(form.note('waiting')).toBeVisible()
  expect(posts).toEqual([])
  await context.setOffline(false)
  await expect.poll(() => posts).toEqual([plainPost])
})

test('a success is one when the toast’s file hangs; a plain post after a failure is the same lead', async ({
  page,
  form,
}) => {
  await page.route('**/assets/toasts-*.js', () => {})
  const requests = await form.answerWith({ status: 200 }, { status: 422, body: '{}' })
  await page.goto('/')
  await form.fillIn()
  await form.button.click()
  await expect(form.note('received')).toBeVisible()
  await expect(form.button).toBeEnabled()

  await form.fillIn()
  await form.button.click()
  await expect(form.note('failed')).toBeVisible()
  await page.route(formCode, (route) => route.abort())
  await page.goto('/?utm_campaign=spring-roofs')
  await form.button.click()
  await expect.poll(() => requests.length).toBe(3)
  const posted = new URLSearchParams(requests[2]?.postData() ?? '')
  expect(posted.get('idempotencyKey')).toBe(keyOf(requests[1]))
  expect(posted.get('idempotencyKey')).not.toBe(keyOf(requests[0]))
  // Where the lead came from goes with it.
  expect(posted.get('source')).toContain('utm_campaign=spring-roofs')
})

test('a press held offline goes out within 8 s of being online, also where the code hangs', async ({
  page,
  context,
  form,
}) => {
  // While nothing but its style can, the page says by it that it is offline.
  const readWords = () => form.root.evaluate((form) => getComputedStyle(form, '::after').content)
  await page.setViewportSize(phone)
  await page.route(formCode, () => {})
  await openOutOfTime(page)
  await form.fillIn()
  await context.setOffline(true)
  const posts = await form.holdPosts()
  await form.button.click()
  await expect.poll(readWords).toContain('You are offline')
  // The end of the form is below the screen; the words are not.
  const findAtBottom = () =>
    page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight - 40)?.id)
  expect(await findAtBottom()).toBe('estimate')
  await page.clock.fastForward(30_000)
  expect(posts).toEqual([])
  await context.setOffline(false)
  await expect.poll(readWords).toBe('none')
  await page.clock.fastForward(7_900)
  expect(posts).toEqual([])
  await page.clock.fastForward(200)
  await expect.poll(() => posts).toEqual([plainPost])
})
