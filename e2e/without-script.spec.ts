import { about, company, form, services, testimonials } from '../site/content.ts'
import { expect, test } from './test.ts'

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, expectedErrors: /status of 404/ })

  test('the whole page reads', async ({ page }) => {
    await page.goto('/')
    const texts = [
      '24/7',
      company.phone,
      form.submit,
      '5,200+',
      about.heading,
      ...about.points.map(({ title }) => title),
      'Average response time: 1 minute',
      ...services.cards.map(({ text }) => text),
      ...testimonials.rows.flat().map(({ text }) => text),
      'Quick Links',
      `© ${new Date().getFullYear()}`,
    ]
    for (const text of texts) await expect(page.getByText(text).first(), text).toBeVisible()
  })

  test('the estimate buttons are links to the top', async ({ page }) => {
    await page.goto('/')
    const link = page.locator('footer').getByRole('link', { name: 'Get Free Estimate' })
    await link.click()
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
    await expect(
      page.locator('header').getByRole('link', { name: /^Free Estimate$/ }),
    ).toBeVisible()
    await expect(page.getByRole('button', { name: 'Get Free Estimate' })).toBeHidden()
  })

  test('nothing moves, and the last testimonial can be reached', async ({ page }) => {
    await page.goto('/')
    await expect(page.locator('[data-drifting]')).toHaveCount(0)
    const last = page.getByText(testimonials.rows.flat().at(-1)?.text ?? '')
    await last.scrollIntoViewIfNeeded()
    await expect(last).toBeInViewport()
  })

  test('an unknown path still says so', async ({ page }) => {
    const response = await page.goto('/nowhere')
    expect(response?.status()).toBe(404)
    await expect(page.getByText('Oops! Page not found')).toBeVisible()
  })
})

test.describe('when files fail to load', () => {
  test.use({ expectedErrors: /Failed to load resource/ })

  test('without pictures and font the page is whole', async ({ page }) => {
    await page.route(/\.(avif|webp|svg|woff2)$/, (route) => route.abort())
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByLabel('Full name')).toBeVisible()
    // White words on the hero need a dark ground even where no picture came.
    const ground = await page
      .locator('.hero')
      .evaluate((hero) => getComputedStyle(hero).backgroundColor)
    expect(ground).toBe('rgb(27, 35, 38)')
  })

  test('without the form’s code the browser’s own form takes over', async ({ page }) => {
    await page.route('**/assets/main-*.js', (route) => route.abort())
    await page.goto('/')
    await page.getByLabel('Full name').fill('Jane Doe')
    await page.getByLabel('E-mail').fill('jane@example.com')
    await page.getByLabel('Phone', { exact: true }).fill('(555) 123-4567')
    await page.getByLabel('Property address').fill('1 Ridge Rd')
    const posted = page.waitForRequest('**/functions/v1/submit-to-airtable')
    await page.locator('#estimate button').click()
    const request = await posted
    expect(request.method()).toBe('POST')
    expect(new URLSearchParams(request.postData() ?? '').get('name')).toBe('Jane Doe')
  })
})
