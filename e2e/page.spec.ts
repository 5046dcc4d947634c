import type { Locator } from '@playwright/test'
import brand from '#leads/brand.json' with { type: 'json' }
import { about, company, emergency, services, testimonials } from './content.ts'
import { desktop, expect, formatRgb, scrollPage, scrollToEnd, test } from './test.ts'

test('has all sections in the order of the specification, for any query and fragment', async ({
  page,
}) => {
  await page.clock.setFixedTime('2031-01-01T12:00:00')
  const response = await page.goto('/?utm_source=x&y=%E0%A4%A#"><script>%')
  expect(response?.status()).toBe(200)
  // innerText omits what content-visibility hides, so wait until no section is deferred.
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  for (const role of ['banner', 'main', 'contentinfo', 'navigation'] as const)
    await expect(page.getByRole(role)).toHaveCount(1)
  const landmarks = await page.locator('body > header, main > section, body > footer').all()
  const texts = await Promise.all(landmarks.map((landmark) => landmark.innerText()))
  const parts = [
    ['24/7'],
    ['Request Free Estimate →'],
    about.points.map(({ title }) => title),
    [emergency.claim],
    [services.heading, ...services.cards.map(({ title }) => title)],
    ...(testimonials.reviews.length > 0 ? [[testimonials.heading]] : []),
    ['Quick Links', 'Get Free Estimate', '© 2031'],
  ]
  expect(texts).toHaveLength(parts.length)
  for (const [index, words] of parts.entries()) {
    const places = words.map((word) => texts[index]?.indexOf(word) ?? -1)
    expect(places, words.join()).not.toContain(-1)
    expect(places, words.join()).toEqual(places.toSorted((a, b) => a - b))
  }

  const cards = page.getByRole('region', { name: 'Our Services' }).getByRole('listitem')
  await expect(cards).toHaveCount(3)
  for (const [index, { title, text }] of services.cards.entries()) {
    const card = cards.nth(index)
    await expect(card.locator('svg')).toBeVisible()
    await expect(card.getByRole('heading', { name: title })).toBeVisible()
    await expect(card.getByText(text)).toBeVisible()
  }
  await expect(page.locator('.badge')).toHaveCount(about.award ? 1 : 0)
  const telUrl = `tel:+1${company.phone.replace(/\D/g, '')}`
  for (const part of ['header', 'main', 'footer']) {
    const link = page.locator(part).getByRole('link', { name: company.phone })
    await expect(link).toHaveAttribute('href', telUrl)
  }

  // The rest checks the sample content, which owners replace.
  if (!('sample' in company)) return
  await expect(page.getByRole('main')).toContainText(
    /trusted since 1998.*licensed and insured.*quality guarantee/is,
  )
  await expect(page.getByRole('main')).toContainText(
    /Our Services.*Residential Roofing.*Roof Repairs.*Roof Inspections.*What Our Customers Say/s,
  )
  const statistics = page.locator('.hero dl > div')
  await expect(statistics).toHaveText([/5,200\+/, /4,800\+/, /25\+/])
  await expect(statistics).toHaveText([/roofs completed/i, /happy customers/i, /years experience/i])
  await expect(page.getByText('Average response time: 1 minute')).toBeVisible()
  await expect(page.getByText('Trade Award')).toBeVisible()
  const proof = page.locator('.proof').getByRole('link', { name: '20 five-star reviews' })
  await expect(proof).toHaveAttribute('href', '#testimonials')
  for (const link of await page.locator('footer nav a[href^="#"]').all())
    await expect(page.locator((await link.getAttribute('href')) ?? '')).toBeAttached()
})

test('serves the icon that iPhones request, because the page does not link it', async ({
  page,
}) => {
  const response = await page.request.get('/apple-touch-icon.png')
  expect(response.status()).toBe(200)
  expect(response.headers()['content-type']).toBe('image/png')
})

/** Browsers scroll by whole pixels, but sections can start at fractions of one. */
async function expectBelowHeader(section: Locator) {
  const headerPx = 96
  const measureGap = async () => Math.abs(((await section.boundingBox())?.y ?? 0) - headerPx)
  await expect.poll(measureGap).toBeLessThan(1)
}

test('goes to a linked section, although the sections get their final heights later', async ({
  page,
}) => {
  await page.setViewportSize(desktop)
  await page.goto('/?#services')
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expectBelowHeader(page.locator('#services'))
})

test('goes to a section whose link is clicked before the sections get their final heights', async ({
  page,
}) => {
  const link = page.locator('.proof a')
  test.skip(testimonials.reviews.length < 5, 'the page has no link to the reviews')
  const clicked = Promise.withResolvers<void>()
  await page.route('**/below-fold-*.css', async (route) => {
    await clicked.promise
    await route.continue()
  })
  await page.goto('/')
  await link.click()
  clicked.resolve()
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expectBelowHeader(page.locator('#testimonials'))
})

test('keeps pictures drawn after they have loaded, for screenshots of the whole page', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  await scrollToEnd(page)
  await scrollPage(page, 0)
  const pictures = page.locator('.service-picture, .night-picture')
  for (const picture of await pictures.all())
    await expect(picture).toHaveCSS('content-visibility', 'visible')
})

test('does not overflow or overlap at any width, also at double the text size', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  const readBoxes = (selector: string) =>
    page
      .locator(selector)
      .filter({ visible: true })
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect))
  const cdp = await page.context().newCDPSession(page)
  for (const [scale, ...widths] of [
    // A 1280 px screen at 200% zoom has the layout of a 640 px screen.
    [1, 1920, 1280, 1024, 768, 640, 390, 360, 320],
    [2, 1920, 1280, 1024, 768, 390, 360, 320],
  ] as const) {
    // Change the browser's font size setting, because media queries depend on it, too.
    await cdp.send('Page.setFontSizes', { fontSizes: { standard: 16 * scale } })
    for (const width of widths) {
      const size = `${width} px, text × ${scale}`
      await page.setViewportSize({ width, height: 740 })
      // At this offset, the header is still transparent.
      await scrollPage(page, 40)
      await expect(page.locator('html')).not.toHaveAttribute('data-scrolled')
      expect(await page.evaluate(() => document.documentElement.scrollWidth), size).toBe(width)
      const [header] = await readBoxes('.site-header')
      for (const { top } of await readBoxes('.hero-company, h1, .estimate-form'))
        expect(top, size).toBeGreaterThanOrEqual(header?.bottom ?? Number.POSITIVE_INFINITY)
      const parts = await readBoxes('.home-link, .header-call, .site-header .page-width .button')
      expect(parts, size).toHaveLength(3)
      const fields = await readBoxes('.estimate-form :is(.field, [type=submit])')
      const boxes = [...parts, ...fields, ...(await readBoxes('.badge, .about h2'))]
      const overlaps = boxes.flatMap((one, index) =>
        boxes
          .slice(index + 1)
          .filter(
            (other) =>
              one.left < other.right &&
              other.left < one.right &&
              one.top < other.bottom &&
              other.top < one.bottom,
          ),
      )
      expect(overlaps, size).toEqual([])
      // Text fits into the select and the badge, and white text ends above the lower edge of the picture.
      const fits = (one: Element) =>
        one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight
      for (const part of await page.locator('.estimate-form select, .badge').all())
        expect(await part.evaluate(fits), size).toBe(true)
      const [picture] = await readBoxes('.hero-picture')
      for (const { bottom } of await readBoxes('.hero-words :is(h1, p)'))
        expect(bottom, size).toBeLessThanOrEqual(picture?.bottom ?? 0)
      const label = width < 640 * scale ? 'Estimate' : 'Free Estimate'
      await expect(page.locator('header').getByRole('button')).toHaveAccessibleName(label)
      // The company's name is visible exactly once, in the header or above the headline.
      const names = page.locator('.home-link, .hero-company').getByText(company.name)
      await expect(names.filter({ visible: true }), size).toHaveCount(1)
      expect(parts[1]?.height, size).toBeGreaterThanOrEqual(44)
      // The header has only one row, even with a long name, except on the narrowest phone.
      const [nameY = 0, callY = 0] = parts.map(({ top, bottom }) => (top + bottom) / 2)
      if (width / scale > 320) expect(Math.abs(nameY - callY), size).toBeLessThan(12)
    }
    // On a phone with large text, the header would cover a third of the screen, so it scrolls away.
    await scrollPage(page, 1_000)
    const [{ bottom = 0 } = {}] = await readBoxes('.site-header')
    expect(bottom > 0, `text × ${scale}`).toBe(scale === 1)
  }
})

test('makes the header solid after 50 px, and scrolls to the top when an estimate button is clicked', async ({
  page,
}) => {
  const readHeader = () =>
    page.evaluate(() => {
      const header = document.querySelector('header') as HTMLElement
      const { backgroundColor, backdropFilter, borderBottomColor } = getComputedStyle(header)
      const logo = getComputedStyle(header.querySelector('.logo svg') as Element).color
      return {
        solid: Number(backgroundColor.match(/[\d.]+(?=\)$)/)?.[0]) > 0.85,
        clear: backgroundColor === 'rgba(0, 0, 0, 0)',
        blurred: backdropFilter.includes('blur'),
        bordered: borderBottomColor !== 'rgba(0, 0, 0, 0)',
        logo,
      }
    })
  const logo = { light: 'rgb(255, 255, 255)', dark: formatRgb(brand.palette.ink) }
  const atTop = { solid: false, clear: true, blurred: false, bordered: false, logo: logo.light }
  const scrolled = { solid: true, clear: false, blurred: true, bordered: true, logo: logo.dark }
  await page.goto('/')
  const button = page.locator('header').getByRole('button')
  await expect(button).toHaveAccessibleName('Estimate')
  // On a phone, the first field is visible without scrolling.
  await expect(page.getByLabel('Full name')).toBeInViewport({ ratio: 1 })
  for (const [top, expected] of [
    [0, atTop],
    [50, atTop],
    [51, scrolled],
    [50, atTop],
  ] as const) {
    await scrollPage(page, top)
    expect(await page.evaluate(() => scrollY)).toBe(top)
    await expect.poll(readHeader).toEqual(expected)
  }
  await page.goto('/?#testimonials')
  await expect.poll(readHeader).toEqual(scrolled)

  // Check the options for scrollTo, because the animation depends on the machine's speed.
  await page.evaluate(() => {
    const { scrollTo } = window
    Object.assign(window, {
      scrollTo: (options: ScrollToOptions) => {
        document.documentElement.dataset.scrollOptions = JSON.stringify(options)
        scrollTo(options)
      },
    })
  })
  for (const [part, reducedMotion, behavior] of [
    ['footer', 'no-preference', 'smooth'],
    ['footer', 'reduce', 'instant'],
    ['header', 'no-preference', 'smooth'],
  ] as const) {
    await page.emulateMedia({ reducedMotion })
    await scrollPage(page, 600)
    await page.locator(part).getByRole('button', { name: 'Estimate' }).click()
    const options = JSON.stringify({ top: 0, behavior })
    await expect(page.locator('html')).toHaveAttribute('data-scroll-options', options)
  }
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
})
