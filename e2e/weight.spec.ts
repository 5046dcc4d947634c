import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { devices, type Page, type Request } from '@playwright/test'
import { hourMs } from '#leads/time-units.ts'
import { hours } from './content.ts'
import { siteDir } from './site.ts'
import { desktop, expect, expectNoShift, scrollToEnd, test, watchShifts } from './test.ts'

const { defaultBrowserType: _chromium, ...phone } = devices['Pixel 7']
const kB = 1_000

/** Starts to record the page's requests. `transferred` returns their total bytes, including headers. */
function watchRequests(page: Page) {
  const requests: Request[] = []
  page.on('request', (request) => requests.push(request))
  const find = (pattern: RegExp) => requests.filter((request) => pattern.test(request.url()))
  return {
    requests,
    find,
    async transferred(pattern = /./) {
      let bytes = 0
      for (const request of find(pattern)) {
        const response = await request.response()
        if (!response) continue
        await response.finished()
        const { responseBodySize, responseHeadersSize } = await request.sizes()
        bytes += responseBodySize + responseHeadersSize
      }
      return bytes
    },
  }
}

const setConnection = (page: Page, connection: object) =>
  page.addInitScript((connection) => {
    Object.defineProperty(navigator, 'connection', { value: connection, configurable: true })
  }, connection)

const formCode = /\/assets\/main-.*\.js$/

test.describe('on a phone', () => {
  test.use(phone)

  test('loads 42 kB in 3 requests for the first screen, then at most 135 kB in 9 requests with data saver', async ({
    page,
  }) => {
    const seen = watchRequests(page)
    await page.clock.install({ time: 0 })
    // Pause far ahead, because the clock must not have reached this time yet, even on a slow machine.
    await page.clock.pauseAt(hourMs)
    await setConnection(page, { saveData: true, effectiveType: '4g' })
    await page.goto('/', { waitUntil: 'networkidle' })
    // Simulate the move of zero pixels that Chromium reports if a page opens under the pointer.
    await page.evaluate(() => void dispatchEvent(new PointerEvent('pointermove')))
    await expect(page.locator('main > link')).toHaveCount(0)
    // Content below the first screen must not compete with the hero.
    const types = [/\/$/, /\/hero-portrait-.*\.avif$/, /\.woff2$/]
    for (const type of types) expect(seen.find(type)).toHaveLength(1)
    expect(seen.requests).toHaveLength(types.length)
    expect(await seen.transferred()).toBeLessThanOrEqual(42 * kB)
    await page.clock.runFor(10_000)
    await page.waitForLoadState('networkidle')
    await expect.poll(() => seen.find(/\/about-/).length).toBe(1)
    expect(await seen.transferred()).toBeLessThanOrEqual(135 * kB)
    expect(seen.requests.length).toBeLessThanOrEqual(9)
    expect(seen.find(/\.js$/)).toEqual([])

    // On a slow connection, the form's code also loads only after an interaction.
    await setConnection(page, { saveData: false, effectiveType: '3g' })
    await page.goto('/')
    await page.clock.runFor(10_000)
    // If the form's code had been requested, that request would have been recorded before this one.
    await page.evaluate(async () => void (await fetch('/robots.txt')))
    expect(seen.find(formCode)).toEqual([])
    await page.locator('h1').tap()
    await expect.poll(() => seen.find(formCode).length).toBe(1)
  })

  test('preloads at most 80 kB of code for the form, and loads at most 350 kB in all', async ({
    page,
  }) => {
    const seen = watchRequests(page)
    // Never run idle callbacks, because Chromium may not run them while the pointer is over the page.
    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0
    })
    const fetched = page.waitForEvent('requestfinished', (request) => formCode.test(request.url()))
    await page.goto('/')
    await fetched
    expect(await seen.transferred()).toBeLessThanOrEqual(205 * kB)
    expect(await seen.transferred(/\.js$/)).toBeLessThanOrEqual(80 * kB)
    expect(seen.find(/\.js$/)).toHaveLength(1)
    // The form's code does not run before an interaction.
    const form = page.locator('#estimate form')
    await expect(form).not.toHaveAttribute('novalidate')
    await scrollToEnd(page)
    const avatars = await page.locator('[data-testimonials] img:not([inert] img)').count()
    await expect.poll(() => seen.find(/\.svg$/).length).toBeGreaterThanOrEqual(Math.min(6, avatars))
    expect(await seen.transferred()).toBeLessThanOrEqual(350 * kB)

    await page.locator('h1').tap()
    await expect(form).toHaveAttribute('novalidate')
    expect(seen.find(formCode)).toHaveLength(1)

    // A repeat visit transfers under 2 kB.
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    let bytes = 0
    let responses = 0
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
      responses += 1
    })
    await page.goto('/', { waitUntil: 'networkidle' })
    expect(responses).toBeGreaterThan(2)
    expect(bytes).toBeLessThan(2 * kB)
  })
})

test('formats no time while the page of a company that is always open loads', async ({ page }) => {
  test.skip(hours.open !== 'always', 'The page shows a time.')
  // On a slow phone, Chromium takes 200 ms when a page first formats a time.
  await page.addInitScript(() => {
    const reject = () => {
      throw new Error('The page formats a time.')
    }
    Object.assign(Intl, { DateTimeFormat: reject })
    Date.prototype.toLocaleString = reject
  })
  await page.goto('/')
  await expect(page.locator('.deferred')).toHaveCount(0)
})

test.describe('the layout does not shift', () => {
  test.use({ expectedErrors: /Failed to load resource/ })

  for (const [size, viewport, hero] of [
    ['phone', phone.viewport, /\/hero-portrait-.*\.avif$/],
    ['desktop', desktop, /\/hero-\d+-.*\.avif$/],
  ] as const) {
    test(`when HTML and font arrive late on a ${size} screen`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.addInitScript(watchShifts)
      const pieces = await servePieces()
      await page.goto(pieces.url, { waitUntil: 'commit' })
      // Give the browser time to paint half of the form.
      await page.waitForFunction(hasPainted, undefined, { timeout: 2_000 }).catch(() => {})
      pieces.sendRest()
      await page.waitForLoadState()
      pieces.close()
      await expectNoShift(page)

      const seen = watchRequests(page)
      const hasFallback = await hasFallbackFont(page)
      const { promise: painted, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/*.woff2', async (route) => {
        await painted
        // Without the fallback font, headings may shift, so do not load the web font.
        return hasFallback ? route.continue() : route.abort()
      })
      await page.goto('/', { waitUntil: 'domcontentloaded' })
      await page.waitForFunction(hasPainted)
      release()
      await page.evaluate(() => document.fonts.ready)
      await scrollToEnd(page)
      await expectNoShift(page)
      // Only the hero picture for this screen size is loaded.
      expect(seen.find(/\/hero-/)).toHaveLength(1)
      expect(seen.find(hero)).toHaveLength(1)
    })
  }
})

/** Serves the first half of the page, and the second half after sendRest(). */
async function servePieces() {
  const html = readFileSync(join(siteDir, 'index.html'), 'utf8')
  const half = html.indexOf('name="address"')
  const { promise: rest, resolve: sendRest } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    response.writeHead(request.url === '/' ? 200 : 404, { 'Content-Type': 'text/html' })
    if (request.url !== '/') return response.end()
    response.write(html.slice(0, half))
    await rest
    response.end(html.slice(half))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sendRest, close }
}

const hasPainted = () => performance.getEntriesByName('first-contentful-paint').length > 0

/** Returns true if this machine has one of the fallback fonts in fonts/archivo.css. */
const hasFallbackFont = (page: Page) =>
  page.evaluate(() => {
    const loads = ['Arial Bold', 'Liberation Sans Bold', 'Roboto Bold'].map((name) =>
      new FontFace('fallback', `local("${name}")`).load(),
    )
    return Promise.any(loads).then(
      () => true,
      () => false,
    )
  })
