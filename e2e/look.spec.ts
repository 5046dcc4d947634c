import { wcagContrast } from 'culori'
import { hero, services, testimonials } from './content.ts'
import { functionUrl } from './form.ts'
import { desktop, expect, test } from './test.ts'

test('shows the portrait picture on phones and tablets, and with large text', async ({ page }) => {
  const readSource = async (width: number) => {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/')
    const picture = page.locator('.hero-picture')
    return picture.evaluate((picture: HTMLImageElement) => picture.currentSrc)
  }
  for (const width of [390, 640, 768, 1023]) expect(await readSource(width)).toContain('-portrait-')
  expect(await readSource(1024)).not.toContain('-portrait-')
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  expect(await readSource(1280)).toContain('-portrait-')
})

test('shows a short name in the header from 360 px, with space around the phone number', async ({
  page,
}) => {
  await page.goto('/')
  const link = page.locator('.home-link')
  await link.evaluate((link) => {
    link.dataset.name = 'short'
    // “Ridgeline” is about as wide as a line of a short name can be (logo.tsx).
    for (const name of link.querySelectorAll('span > span')) name.textContent = 'Ridgeline Roofing'
  })
  const name = link.getByText('Ridgeline Roofing')
  const header = page.locator('.site-header')
  const parts = [name, header.locator('.header-call'), header.getByRole('button')]
  for (const [width, minGapPx] of [
    [360, 10],
    [375, 10],
    [390, 16],
  ] as const) {
    await page.setViewportSize({ width, height: 740 })
    const [shown, call, button] = await Promise.all(parts.map((part) => part.boundingBox()))
    if (!shown || !call || !button) throw new Error('A part of the header is hidden.')
    expect(shown.x + shown.width, `${width} px`).toBeLessThanOrEqual(call.x - 8)
    expect(button.x - call.x - call.width, `${width} px`).toBeGreaterThanOrEqual(minGapPx)
    expect((await header.boundingBox())?.height, `${width} px`).toBeLessThan(60)
    const lines = await name.evaluate((name) => {
      const words = document.createRange()
      words.selectNodeContents(name)
      return words.getClientRects().length
    })
    expect(lines, `${width} px`).toBe(2)
  }
  await page.setViewportSize({ width: 359, height: 740 })
  await expect(name).toBeHidden()
})

test('has the specified sizes, and shows why to trust the company', async ({ page }) => {
  for (const viewport of [{ width: 360, height: 740 }, { width: 1024, height: 768 }, desktop]) {
    await page.setViewportSize(viewport)
    await page.goto('/')
    if (hero.trust)
      await expect(page.locator('.proof').getByText(hero.trust)).toBeInViewport({ ratio: 1 })
    const lead = viewport.width < 1024 ? '17px' : '21px'
    await expect(page.getByText(hero.lead)).toHaveCSS('font-size', lead)
    for (const label of await page.locator('.hero-statistics dt').all())
      await expect(label).toHaveCSS('font-size', '15px')
  }
})

const white = 'rgb(255, 255, 255)'

test('shows a spinner in the button, and after a success a quiet form until someone uses it', async ({
  page,
  form,
}) => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route(functionUrl, async (route) => {
    await answered
    await route.fulfill({ contentType: 'application/json', body: '{"ok":true}' })
  })
  await page.goto('/')
  const label = form.root.locator('label').first()
  await expect(label).toHaveCSS('font-weight', '600')
  const readSpinner = () =>
    form.button.evaluate((button) => getComputedStyle(button, '::before').animationName)
  expect(await readSpinner()).toBe('none')
  await form.fillIn()
  await form.button.click()
  await expect.poll(readSpinner).toBe('turn')
  expect((await form.button.boundingBox())?.height).toBe(52)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await expect.poll(readSpinner).toBe('pulse')

  answer()
  await expect(form.received).toBeVisible()
  await expect(form.button).toHaveCSS('background-color', white)
  await expect(form.name).not.toHaveCSS('background-color', white)
  await expect(label).toHaveCSS('font-weight', '400')
  await form.name.focus()
  await expect(form.button).not.toHaveCSS('background-color', white)
  await expect(form.name).toHaveCSS('background-color', white)
  await expect(label).toHaveCSS('font-weight', '600')
})

test('lays the text fields out in two columns on a tablet, also with errors', async ({
  page,
  form,
}) => {
  const countPerRow = async () => {
    const boxes = await Promise.all(
      [form.name, form.email, form.phone, form.address].map((field) => field.boundingBox()),
    )
    const counts = Object.groupBy(boxes, (box) => box?.y ?? 0)
    return Object.values(counts).map((row) => row?.length)
  }
  for (const width of [640, 1023]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/')
    expect(await countPerRow()).toEqual([2, 2])
    // The error message for the email address has two lines, and those for the other fields have one.
    await form.email.fill('jane@')
    await form.press('incomplete')
    expect(await countPerRow()).toEqual([2, 2])
    const [button, select] = [await form.button.boundingBox(), await form.serviceType.boundingBox()]
    expect(button?.width).toBe(select?.width)
  }
  for (const width of [390, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await countPerRow()).toEqual([1, 1, 1, 1])
  }
})

test('shows the picture of a single last service beside its words on a tablet', async ({
  page,
}) => {
  test.skip(services.cards.length % 2 === 0, 'no card is alone in its row')
  await page.setViewportSize({ width: 768, height: 1024 })
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  const card = page.locator('.services li').last()
  const [heading, picture] = [card.getByRole('heading'), card.locator('.service-picture')]
  if ((await picture.count()) === 0) return
  const [words, shown] = [await heading.boundingBox(), await picture.boundingBox()]
  const whole = await card.boundingBox()
  expect((shown?.x ?? 0) + (shown?.width ?? 0)).toBeLessThan(words?.x ?? 0)
  expect(Math.abs((shown?.height ?? 0) - (whole?.height ?? 99))).toBeLessThanOrEqual(2)
})

test('shows the stars with a contrast of at least 3:1', async ({ page }) => {
  test.skip(testimonials.reviews.length === 0, 'no reviews')
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
  const card = page.locator('.testimonials .card').first()
  const [color, background] = await card.evaluate((card) => [
    getComputedStyle(card.querySelector('.stars') as Element).color,
    getComputedStyle(card).backgroundColor,
  ])
  expect(wcagContrast(color ?? '', background ?? '')).toBeGreaterThanOrEqual(3)
})
