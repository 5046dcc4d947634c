import brand from '#leads/brand.json' with { type: 'json' }
import { about, company, emergency, form, hero, services, testimonials } from './content.ts'
import { expect, formatRgb, test } from './test.ts'

test.use({ javaScriptEnabled: false, expectedErrors: /status of 404|Failed to load resource/ })

test('shows the whole page without scripts, pictures, or fonts, with links instead of buttons', async ({
  page,
}) => {
  await page.route(/\.(avif|webp|svg|woff2)$/, (route) => route.abort())
  await page.goto('/')
  const texts = [
    '24/7',
    company.phone,
    form.submit,
    ...hero.statistics.map(({ value }) => value),
    about.heading,
    ...about.points.map(({ title }) => title),
    emergency.claim,
    ...services.cards.map(({ text }) => text),
    ...testimonials.reviews.map(({ text }) => text),
    'Quick Links',
    `© ${new Date().getFullYear()}`,
  ]
  for (const text of texts)
    await expect(page.getByText(text).filter({ visible: true }).first(), text).toBeVisible()
  await expect(page.getByLabel('Full name')).toBeVisible()
  // The hero's white text needs a dark background even without the picture.
  await expect(page.locator('.hero')).toHaveCSS('background-color', formatRgb(brand.palette.ink))

  // The hero picture starts at the top of the page and ends behind the card.
  const find = async (selector: string) => (await page.locator(selector).boundingBox()) ?? undefined
  const picture = await find('.hero-picture')
  const card = await find('.estimate-card')
  expect(picture).toMatchObject({ x: 0, width: 360 })
  expect(Math.abs(picture?.y ?? 99)).toBeLessThan(8)
  expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeGreaterThan(card?.y ?? 0)

  // Nothing moves, and the last testimonial can be reached.
  await expect(page.locator('[data-drifting]')).toHaveCount(0)
  const last = page.getByText(testimonials.reviews.at(-1)?.text ?? '')
  await last.scrollIntoViewIfNeeded()
  await expect(last).toBeInViewport()

  // The estimate buttons are links to the top.
  await page.locator('footer').getByRole('link', { name: 'Get Free Estimate' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport()
  await expect(page.locator('header').getByRole('link', { name: /^Estimate$/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Get Free Estimate' })).toBeHidden()

  // The header scrolls away, because its colors cannot change.
  const [header, words] = [page.locator('.site-header'), page.locator('.hero-words')]
  await page.mouse.wheel(0, 600)
  await expect(words).not.toBeInViewport()
  await expect(header).not.toBeInViewport()

  // With large text, the whole header is also visible before the page is scrolled.
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  await page.goto('/')
  await expect(header).toBeInViewport({ ratio: 1 })

  expect((await page.goto('/nowhere'))?.status()).toBe(404)
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
})
