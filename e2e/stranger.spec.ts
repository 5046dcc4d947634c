import { form as words } from '#site/content.ts'
import { fillIn, functionUrl, readValues, submitButton, toast, visitor } from './form.ts'
import { expect, test } from './test.ts'

// Who answers may be a hotel's sign-in page or a host's fallback, and 200 means nothing then.

for (const [what, answer] of [
  ['HTML', { contentType: 'text/html; charset=UTF-8', body: '<h1>Welcome</h1>' }],
  ['HTML without a word', { contentType: 'Text/HTML', body: '' }],
  ['JSON from elsewhere', { status: 302, headers: { location: '/healthz' } }],
] as const) {
  test(`${what} is a failure: the values are kept, and so is the draft`, async ({ page }) => {
    await page.route(functionUrl, (route) => route.fulfill(answer))
    await page.goto('/')
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.failed)).toBeVisible()
    expect(await readValues(page)).toEqual(visitor)
    expect(await page.evaluate(() => localStorage.getItem('estimate-draft'))).toContain('Jane')
  })
}

for (const [what, answer] of [
  ['any JSON', { contentType: 'application/json', body: '{"id":7}' }],
  ['nothing at all', { status: 204 }],
  ['plain text', { contentType: 'text/plain', body: 'ok' }],
] as const) {
  test(`${what} from a backend is a success`, async ({ page }) => {
    await page.route(functionUrl, (route) => route.fulfill(answer))
    await page.goto('/')
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
  })
}
