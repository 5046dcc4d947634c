import type { Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import { answerWith, fillIn, formCode, functionUrl, press, submitButton, visitor } from './form.ts'
import { expect, test } from './test.ts'

// Where a lead comes from. Chromium lets a test say what led to a page, and its reload keeps it.

const campaign = '/?utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs'
const search = 'https://www.google.com/search?q=roofer+for+jane+doe'

async function send(page: Page) {
  const requests = await answerWith(page, { status: 200 })
  await fillIn(page)
  await press(page)
  const details = new URLSearchParams(requests[0]?.headers()['x-lead-details'])
  return Object.fromEntries(new URLSearchParams(details.get('source') ?? ''))
}

/** What the browser posts by itself. */
async function post(page: Page) {
  await fillIn(page)
  const posted = page.waitForRequest(functionUrl)
  await submitButton(page).click()
  const request = await posted
  return { request, form: new URLSearchParams(request.postData() ?? '') }
}

// The link that one visitor comes by has an address in it already; the page adds none.
test.use({ expectedErrors: /said in an address: \S+&gclid=|404|Failed to load resource/ })

test('campaign and host go out with the lead, and nothing else', async ({ page }) => {
  const link = `${campaign}&gclid=Cj0KCQ&email=jane%40example.com`
  await page.goto(link, { referer: search })
  expect(await send(page)).toEqual({
    referrer: 'www.google.com',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring-roofs',
    click: 'gclid',
  })
  expect(page.url()).toContain(link)
  expect(await page.context().cookies()).toEqual([])
})

test('what was known first is kept for the visit', async ({ page }) => {
  await page.goto('/')
  expect(await send(page)).toEqual({ referrer: '' })
  await page.goto(campaign, { referer: search })
  await page.reload()
  await page.goto('/?utm_source=newsletter', { referer: 'https://mail.example/inbox/jane' })
  await page.goto('/')
  expect(await send(page)).toMatchObject({ utm_source: 'google', referrer: 'www.google.com' })
})

test('the 404 page keeps a campaign and is no referrer', async ({ page }) => {
  await page.goto(`/old-page${campaign}`, { referer: search })
  await page.getByRole('link', { name: 'Return to Home' }).click()
  expect(await send(page)).toMatchObject({ utm_campaign: 'spring-roofs', referrer: '' })
})

test('where storage is denied, what the page itself knows must do', async ({ page }) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
  })
  await page.goto(campaign, { referer: search })
  await page.reload()
  expect(await send(page)).toMatchObject({ utm_source: 'google' })
})

test('an endless, a broken and a hostile campaign cost no lead', async ({ page }) => {
  for (const value of [
    // As much as fits into a request for the page; encoded again it would be more than fits into a header.
    '%F0%9F%8F%A0'.repeat(1_000),
    '%E0%A4%A',
    '%00%0D%0AX-Evil:1%3Cscript%3E%F0%9F%8F%A0'.repeat(40),
  ]) {
    await page.goto(`/?utm_source=${value}`)
    await fillIn(page)
    const answered = page.waitForResponse(functionUrl)
    await submitButton(page).click()
    expect((await answered).status()).toBe(200)
    // The visit's first source would be kept.
    await page.evaluate(() => sessionStorage.clear())
  }
})

test('without the form’s code the source goes with the plain post', async ({ page }) => {
  await page.route(formCode, (route) => route.abort())
  await page.goto(campaign, { referer: search })
  const { form } = await post(page)
  expect(Object.fromEntries(form)).toMatchObject(visitor)
  expect(form.get('source')).toContain('utm_campaign=spring-roofs')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the page’s own address tells the campaign', async ({ page }) => {
    await page.goto(campaign)
    const { request, form } = await post(page)
    expect(form.get('source')).toBe('')
    expect((await request.allHeaders()).referer).toContain(campaign)
  })

  test('a refused field is named, with the way back to what was typed', async ({ page }) => {
    await page.goto('/')
    await fillIn(page, { ...visitor, email: 'jane@localhost' })
    await submitButton(page).click()
    await expect(page).toHaveURL(/#estimate-email$/)
    const outcome = page.locator('#estimate-email')
    await expect(outcome).toBeInViewport()
    await expect(outcome).toContainText(`${words.labels.email}.`)
    await page.goBack()
    await expect(page.getByLabel(words.labels.email)).toHaveValue('jane@localhost')
  })
})
