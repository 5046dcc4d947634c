import { form as words } from '#site/content.ts'
import {
  answerWith,
  fillIn,
  formCode,
  press,
  readDraft,
  readValues,
  submitButton,
  toast,
  visitor,
  watchPosts,
} from './form.ts'
import { expect, test } from './test.ts'

// A press before the form's code is there.

test.use({ expectedErrors: /Failed to load resource/ })

test('code that comes 5 s late: two presses are one lead', async ({ page }) => {
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

test('code that never comes: the press goes out the plain way, once', async ({ page }) => {
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
  expect(await readDraft(page)).toBeNull()
  await page.reload()
  await expect(page.getByText(words.toasts.received)).toHaveCount(0)
  expect(Object.values(await readValues(page)).join('')).toBe('')
})

test('what a plain post came to is gone with the next try', async ({ page }) => {
  await page.goto('/#estimate-failed')
  await expect(page.getByText(words.toasts.failed)).toBeVisible()
  await answerWith(page, { status: 200 })
  await fillIn(page)
  await press(page)
  await expect(page.getByText(words.toasts.failed)).toHaveCount(0)
})
