import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { devices, type Page, type Request } from '@playwright/test'
import { siteDir } from './site.ts'
import { desktop, expect, expectNoShift, readToTheEnd, test, watchShifts } from './test.ts'

const { defaultBrowserType: _chromium, ...phone } = devices['Pixel 7']
const kB = 1_000

/** Every request of the page from here on, with what it transferred, headers included. */
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

// The HTML has 14,000 bytes at most: prerender.test.ts.
test('the built page has its styles inline, and one script, not blocking, of 2 kB at most', () => {
  const html = readFileSync(join(siteDir, 'index.html'), 'utf8')
  expect(html).not.toContain('rel="stylesheet"')
  const scripts = [...html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)].filter(
    ([, attributes]) => attributes !== ' type="application/ld+json"',
  )
  expect(scripts.map(([, attributes]) => attributes)).toEqual([' type="module" async'])
  expect(brotliCompressSync(scripts[0]?.[2] ?? '').length).toBeLessThanOrEqual(2 * kB)
})

test.describe('on a phone', () => {
  test.use(phone)

  test('that saves data the page is idle after 110 kB and 8 requests, one font and one hero of 45 kB', async ({
    page,
  }) => {
    const seen = watchRequests(page)
    await page.clock.install()
    await setConnection(page, { saveData: true, effectiveType: '4g' })
    await page.goto('/', { waitUntil: 'networkidle' })
    await page.clock.runFor(10_000)
    expect(await seen.transferred()).toBeLessThanOrEqual(110 * kB)
    expect(seen.requests.length).toBeLessThanOrEqual(8)
    expect(seen.find(/\.woff2$/)).toHaveLength(1)
    expect(seen.find(/\/hero-/)).toHaveLength(1)
    expect(seen.find(/\/hero-portrait-.*\.avif$/)).toHaveLength(1)
    expect(await seen.transferred(/\/hero-/)).toBeLessThanOrEqual(45 * kB)
    expect(seen.find(/\.js$/)).toEqual([])

    // On a slow line, too, the form's code waits for contact.
    await setConnection(page, { saveData: false, effectiveType: '3g' })
    await page.goto('/')
    await page.clock.runFor(10_000)
    expect(seen.find(formCode)).toEqual([])
    await page.locator('h1').tap()
    await expect.poll(() => seen.find(formCode).length).toBe(1)
  })

  test('the form’s code is fetched ahead, 80 kB at most, and the page to its end is 350 kB', async ({
    page,
  }) => {
    const seen = watchRequests(page)
    // Where a mouse rests, Chromium may find no idle moment.
    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0
    })
    const fetched = page.waitForEvent('requestfinished', (request) => formCode.test(request.url()))
    await page.goto('/')
    await fetched
    expect(await seen.transferred()).toBeLessThanOrEqual(190 * kB)
    expect(await seen.transferred(/\.js$/)).toBeLessThanOrEqual(80 * kB)
    expect(seen.find(/\.js$/)).toHaveLength(1)
    // It does not run before contact.
    const form = page.locator('#estimate form')
    await expect(form).not.toHaveAttribute('novalidate')
    await readToTheEnd(page)
    await page.waitForLoadState('networkidle')
    const avatars = await page.locator('[data-testimonials] img:not([inert] img)').count()
    expect(seen.find(/\.svg$/).length).toBeGreaterThanOrEqual(Math.min(6, avatars))
    expect(await seen.transferred()).toBeLessThanOrEqual(350 * kB)

    await page.locator('h1').tap()
    await expect(form).toHaveAttribute('novalidate')
    expect(seen.find(formCode)).toHaveLength(1)

    // A repeat visit transfers under 2 kB.
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

test.describe('nothing shifts', () => {
  test.use({ expectedErrors: /Failed to load resource/ })

  for (const [size, viewport, hero] of [
    ['phone', phone.viewport, /\/hero-portrait-.*\.avif$/],
    ['desktop', desktop, /\/hero-\d+-.*\.avif$/],
  ] as const) {
    test(`${size}: in pieces, when the font comes late, down to the end`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.addInitScript(watchShifts)
      const pieces = await servePieces()
      await page.goto(pieces.url, { waitUntil: 'commit' })
      // A browser that draws half a form does it by now.
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
        // Without the fallback font headings may shift, so the web font never loads there.
        return hasFallback ? route.continue() : route.abort()
      })
      await page.goto('/', { waitUntil: 'domcontentloaded' })
      await page.waitForFunction(hasPainted)
      release()
      await page.evaluate(() => document.fonts.ready)
      await readToTheEnd(page)
      await expectNoShift(page)
      // One hero picture, cut for this screen.
      expect(seen.find(/\/hero-/)).toHaveLength(1)
      expect(seen.find(hero)).toHaveLength(1)
    })
  }
})

/** Serves the page, and its second half only after sendRest. */
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

/** Whether this machine has a fallback font that fonts/archivo.css adjusts to Archivo. */
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
