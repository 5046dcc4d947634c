import { functionUrl } from './form.ts'
import { expect, test as plain } from './test.ts'

// Tests the source of a lead. native-post.spec.ts tests it for native posts, and lead.spec.ts without JavaScript.

const campaign = '/?utm_source=google&utm_medium=cpc&utm_campaign=spring-roofs'
const referer = 'https://www.google.com/search?q=roofer+for+jane+doe'

const test = plain.extend<{ sendSource(): Promise<object> }>({
  sendSource: ({ form }, use) =>
    use(async () => {
      const requests = await form.answerWith({ status: 200 })
      await form.fillIn()
      await form.press()
      const visit = new URLSearchParams(requests[0]?.headers()['x-lead-visit'])
      return Object.fromEntries(new URLSearchParams(visit.get('source') ?? ''))
    }),
})

// The first test opens a link that contains an email address. The page itself never adds one.
test.use({ expectedErrors: /personal data in a URL: \S+&gclid=|404|Failed to load resource/ })

test('sends only the campaign and the referring host, and keeps the first source of a visit', async ({
  page,
  sendSource,
}) => {
  const link = `${campaign}&gclid=Cj0KCQ&email=jane%40example.com`
  await page.goto(link, { referer })
  expect(page.url()).toContain(link)
  await page.reload()
  await page.goto('/?utm_source=newsletter', { referer: 'https://mail.example/inbox/jane' })
  await page.goto('/')
  expect(await sendSource()).toEqual({
    referrer: 'www.google.com',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring-roofs',
    click: 'gclid',
  })
})

test('keeps the campaign across the 404 page, which does not count as a referrer', async ({
  page,
  sendSource,
}) => {
  await page.goto(`/old-page${campaign}`, { referer })
  await page.getByRole('link', { name: 'Return to Home' }).click()
  expect(await sendSource()).toMatchObject({ utm_campaign: 'spring-roofs', referrer: '' })
})

test('reads the source from the URL when storage is blocked', async ({ page, sendSource }) => {
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

test('accepts a lead with a very long and malicious campaign', async ({ page, form }) => {
  // This fits into the URL, but it would be too long for a header after it is encoded a second time.
  const long = '%F0%9F%8F%A0'.repeat(1_000)
  await page.goto(`/?utm_source=${long}&utm_campaign=%E0%A4%A%00%0D%0AX-Evil:1%3Cscript%3E`)
  await form.fillIn()
  const answered = page.waitForResponse(functionUrl)
  await form.button.click()
  expect((await answered).status()).toBe(200)
})
