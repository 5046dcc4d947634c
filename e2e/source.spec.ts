import { functionUrl } from './form.ts'
import { expect, test as plain } from './test.ts'

// Where a lead comes from. Chromium lets a test say what led to a page, and its reload keeps it.
// With a native post: native-post.spec.ts; without JavaScript: lead.spec.ts.

const campaign = '/?utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs'
const referer = 'https://www.google.com/search?q=roofer+for+jane+doe'

const test = plain.extend<{ sendSource(): Promise<object> }>({
  sendSource: ({ form }, use) =>
    use(async () => {
      const requests = await form.answerWith({ status: 200 })
      await form.fillIn()
      await form.press()
      const details = new URLSearchParams(requests[0]?.headers()['x-lead-details'])
      return Object.fromEntries(new URLSearchParams(details.get('source') ?? ''))
    }),
})

// The link that one visitor comes by has an address in it already; the page adds none.
test.use({ expectedErrors: /said in an address: \S+&gclid=|404|Failed to load resource/ })

test('campaign and host go out with the lead, nothing else, and what was known first is kept', async ({
  page,
  sendSource,
}) => {
  await page.goto('/')
  expect(await sendSource()).toEqual({ referrer: '' })
  const link = `${campaign}&gclid=Cj0KCQ&email=jane%40example.com`
  await page.goto(link, { referer })
  const source = {
    referrer: 'www.google.com',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring-roofs',
    click: 'gclid',
  }
  expect(await sendSource()).toEqual(source)
  expect(page.url()).toContain(link)
  await page.reload()
  await page.goto('/?utm_source=newsletter', { referer: 'https://mail.example/inbox/jane' })
  await page.goto('/')
  expect(await sendSource()).toEqual(source)
})

test('the 404 page keeps a campaign and is no referrer', async ({ page, sendSource }) => {
  await page.goto(`/old-page${campaign}`, { referer })
  await page.getByRole('link', { name: 'Return to Home' }).click()
  expect(await sendSource()).toMatchObject({ utm_campaign: 'spring-roofs', referrer: '' })
})

test('where storage is denied, what the page itself knows must do', async ({
  page,
  sendSource,
}) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
  })
  await page.goto(campaign, { referer })
  await page.reload()
  expect(await sendSource()).toMatchObject({ utm_source: 'google' })
})

test('an endless, a broken and a hostile campaign cost no lead', async ({ page, form }) => {
  for (const value of [
    // As much as fits into a request for the page; encoded again it would be more than fits into a header.
    '%F0%9F%8F%A0'.repeat(1_000),
    '%E0%A4%A',
    '%00%0D%0AX-Evil:1%3Cscript%3E%F0%9F%8F%A0'.repeat(40),
  ]) {
    await page.goto(`/?utm_source=${value}`)
    await form.fillIn()
    const answered = page.waitForResponse(functionUrl)
    await form.button.click()
    expect((await answered).status()).toBe(200)
    // The visit's first source would be kept.
    await page.evaluate(() => sessionStorage.clear())
  }
})
