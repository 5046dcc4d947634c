import type { Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import {
  answerWith,
  fillIn,
  functionUrl,
  readValues,
  submitButton,
  toast,
  visitor,
} from './form.ts'
import { expect, phone as phoneScreen, test } from './test.ts'

// A press before the form's code is there.

test.use({ expectedErrors: /Failed to load resource/ })

const formCode = '**/assets/main-*.js'

function watchPosts(page: Page) {
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.postData() ?? '')
  })
  return posts
}

test('code that comes 5 s late: what is typed stays, and two presses are one lead', async ({
  page,
}) => {
  await page.clock.install()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route(formCode, async (route) => {
    await held
    await route.continue()
  })
  const posts = watchPosts(page)
  await page.goto('/')
  await fillIn(page)
  await page.clock.pauseAt(Date.now() + 60_000)
  await submitButton(page).click()
  await submitButton(page).click()
  await page.clock.runFor(5_000)
  expect(posts).toEqual([])
  await page.clock.resume()
  release()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  await expect(page).toHaveURL('/')
  expect(posts).toEqual([JSON.stringify(visitor)])
})

test('code that never comes: the press goes out the plain way, once, and the page says so', async ({
  page,
}) => {
  await page.clock.install()
  await page.route(formCode, () => {})
  const posts = watchPosts(page)
  await page.goto('/')
  await fillIn(page, { ...visitor, name: 'Plain Way' })
  await submitButton(page).click()
  await page.clock.runFor(9_000)
  await expect(page.getByText(words.toasts.received)).toBeInViewport()
  expect(posts).toHaveLength(1)
  expect(Number(new URLSearchParams(posts[0]).get('elapsedMs'))).toBeGreaterThan(0)
  // A success leaves no draft, and its sentence does not come back with a reload.
  await expect(page).toHaveURL('/')
  expect(await page.evaluate(() => localStorage.getItem('estimate-draft'))).toBeNull()
  await page.reload()
  await expect(page.getByText(words.toasts.received)).toHaveCount(0)
  expect(Object.values(await readValues(page)).join('')).toBe('')
})

test('code that comes while the plain post is on its way sends no second one', async ({ page }) => {
  await page.clock.install()
  let deliverCode = () => {}
  await page.route(formCode, (route) => {
    deliverCode = () => void route.continue()
  })
  let answerPost = () => {}
  const posts: string[] = []
  await page.route(functionUrl, (route) => {
    posts.push(route.request().headers()['content-type'] ?? '')
    answerPost = () => void route.continue()
  })
  await page.goto('/')
  await fillIn(page)
  const button = await submitButton(page).boundingBox()
  const press = () => page.mouse.click((button?.x ?? 0) + 60, (button?.y ?? 0) + 20)
  await press()
  await page.clock.runFor(9_000)
  await expect.poll(() => posts.length).toBe(1)
  // The page that is leaving can be asked nothing: what the network sees must do.
  const delivered = page.waitForEvent('requestfinished', (request) =>
    request.url().includes('/assets/main-'),
  )
  deliverCode()
  await delivered
  for (let again = 0; again < 3; again++) await press()
  answerPost()
  await expect(page.getByText(words.toasts.received)).toBeInViewport()
  expect(posts).toEqual(['application/x-www-form-urlencoded'])
})

test('while offline it waits for the connection, too', async ({ page, context }) => {
  await page.route(formCode, (route) => route.abort('internetdisconnected'))
  const posts = watchPosts(page)
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
  await page.unroute(formCode)
  expect(posts).toEqual([])
  await context.setOffline(false)
  await expect(page.getByText(words.toasts.received)).toBeVisible()
  expect(posts).toHaveLength(1)
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
