import { readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { devices, type Page, type Request } from '@playwright/test'
import { testimonials } from '../site/content.ts'
import { desktop, expect, scrollPage, test } from './test.ts'

const { defaultBrowserType: _chromium, ...phone } = devices['Pixel 7']
const kB = 1_000

/** Every request of the page from here on, with what it transferred, headers included. */
function watchRequests(page: Page) {
  const requests: Request[] = []
  page.on('request', (request) => requests.push(request))
  const measure = async (some: Request[]) => {
    const sizes = await Promise.all(
      some.map(async (request) => {
        const response = await request.response()
        if (!response) return 0
        await response.finished()
        const { responseBodySize, responseHeadersSize } = await request.sizes()
        return responseBodySize + responseHeadersSize
      }),
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  return {
    requests,
    find: (pattern: RegExp) => requests.filter((request) => pattern.test(request.url())),
    transferred: (pattern = /./) =>
      measure(requests.filter((request) => pattern.test(request.url()))),
  }
}

const setConnection = (page: Page, connection: object) =>
  page.addInitScript((connection) => {
    Object.defineProperty(navigator, 'connection', { value: connection })
  }, connection)

const formCode = /\/assets\/main-.*\.js$/

test.describe('the built page', () => {
  const html = () => readFileSync('dist/index.html', 'utf8')

  test('fits with all its CSS into the first ten packets', () => {
    expect(statSync('dist/index.html.br').size).toBeLessThanOrEqual(14_000)
    expect(html()).not.toContain('rel="stylesheet"')
  })

  test('has one script, inline, not blocking, of 5 kB at most', () => {
    const scripts = [...html().matchAll(/<script([^>]*)>(.*?)<\/script>/gs)].filter(
      ([, attributes]) => attributes !== ' type="application/ld+json"',
    )
    expect(scripts.map(([, attributes]) => attributes)).toEqual([' type="module" async'])
    expect(brotliCompressSync(scripts[0]?.[2] ?? '').length).toBeLessThanOrEqual(5 * kB)
  })
})

test.describe('on a phone', () => {
  test.use(phone)

  test('the page is idle after 110 kB and 8 requests, one font and one hero of 45 kB', async ({
    page,
  }) => {
    const seen = watchRequests(page)
    await setConnection(page, { saveData: true })
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(await seen.transferred()).toBeLessThanOrEqual(110 * kB)
    expect(seen.requests.length).toBeLessThanOrEqual(8)
    expect(seen.find(/\.woff2$/)).toHaveLength(1)
    expect(seen.find(/\/hero-/)).toHaveLength(1)
    expect(seen.find(/\/hero-portrait-.*\.avif$/)).toHaveLength(1)
    expect(await seen.transferred(/\/hero-/)).toBeLessThanOrEqual(45 * kB)
    expect(seen.find(/\.js$/)).toEqual([])
  })

  test('the form’s code is fetched ahead, 80 kB at most, and not run before contact', async ({
    page,
  }) => {
    const seen = watchRequests(page)
    const fetched = page.waitForEvent('requestfinished', (request) => formCode.test(request.url()))
    await page.goto('/')
    await fetched
    expect(await seen.transferred()).toBeLessThanOrEqual(190 * kB)
    expect(await seen.transferred(/\.js$/)).toBeLessThanOrEqual(80 * kB)
    expect(seen.find(/\.js$/)).toHaveLength(1)
    const form = page.locator('#estimate form')
    await expect(form).not.toHaveAttribute('novalidate')
    await page.locator('h1').tap()
    await expect(form).toHaveAttribute('novalidate')
    expect(seen.find(formCode)).toHaveLength(1)
  })

  for (const [what, connection] of [
    ['a data-saving', { saveData: true, effectiveType: '4g' }],
    ['a slow', { saveData: false, effectiveType: '3g' }],
  ] as const) {
    test(`on ${what} connection the form’s code waits for contact`, async ({ page }) => {
      const seen = watchRequests(page)
      await setConnection(page, connection)
      await page.clock.install()
      await page.goto('/')
      await page.clock.runFor(10_000)
      expect(seen.find(formCode)).toEqual([])
      await page.locator('h1').tap()
      await expect.poll(() => seen.find(formCode).length).toBe(1)
    })
  }

  test('the page read to its end has transferred 350 kB at most', async ({ page }) => {
    const seen = watchRequests(page)
    const fetched = page.waitForEvent('requestfinished', (request) => formCode.test(request.url()))
    await page.goto('/')
    await fetched
    await readToTheEnd(page)
    await page.waitForLoadState('networkidle')
    const avatars = new Set(testimonials.rows.flat().map(({ image }) => image))
    expect(seen.find(/\.svg$/).length).toBeGreaterThanOrEqual(Math.min(6, avatars.size))
    expect(await seen.transferred()).toBeLessThanOrEqual(350 * kB)
  })

  test('a repeat visit transfers under 2 kB', async ({ page }) => {
    await page.goto('/', { waitUntil: 'networkidle' })
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    let bytes = 0
    let answers = 0
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
      answers += 1
    })
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(answers).toBeGreaterThan(2)
    expect(bytes).toBeLessThan(2 * kB)
  })
})

test('a desktop gets one hero picture, the wide one', async ({ page }) => {
  await page.setViewportSize(desktop)
  const seen = watchRequests(page)
  await page.goto('/', { waitUntil: 'networkidle' })
  expect(seen.find(/\/hero-/)).toHaveLength(1)
  expect(seen.find(/\/hero-\d+-.*\.avif$/)).toHaveLength(1)
})

for (const [size, viewport] of Object.entries({ phone: phone.viewport, desktop })) {
  test(`nothing shifts, ${size}: while it loads, when the font comes late, down to the end`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport)
    await page.addInitScript(() => {
      Object.assign(window, { shift: 0 })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          (window as unknown as { shift: number }).shift += (
            entry as unknown as { value: number }
          ).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    let release = () => {}
    const painted = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/*.woff2', async (route) => {
      await painted
      await route.continue()
    })
    await page.goto('/', { waitUntil: 'domcontentloaded' })
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length)
    release()
    await page.evaluate(() => document.fonts.ready)
    await readToTheEnd(page)
    expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(
      0.01,
    )
  })
}

async function readToTheEnd(page: Page) {
  const height = () => page.evaluate(() => document.documentElement.scrollHeight)
  for (let top = 0; top < (await height()); top += 300) await scrollPage(page, top)
}
