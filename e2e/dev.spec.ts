import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { copySources } from '#testing/copy-sources.ts'
import { hero, testimonials } from './content.ts'
import { desktop, expect, phone, test } from './test.ts'

// Runs one `npm run dev` server for all tests, with a copy of the source files that the tests can change.
test.describe.configure({ mode: 'default' })
test.use({ expectedErrors: /there is no page at|status of 404/ })

let copy: string
let server: ViteDevServer
let url: string

test.beforeAll(async () => {
  copy = copySources()
  server = await createServer({
    configFile: join(copy, 'vite.config.ts'),
    cacheDir: join(copy, '.vite'),
    logLevel: 'silent',
    server: { port: 0, host: '127.0.0.1' },
  })
  await server.listen()
  const address = server.httpServer?.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
})

test.afterAll(async () => {
  await server.close()
  rmSync(copy, { recursive: true, force: true })
})

/** Changes the content and notifies the server, because its watcher drops a change within 50 ms of the last one. */
function serveContent(words: string) {
  const content = join(copy, 'site/content.ts')
  server.watcher.unwatch(content)
  writeFileSync(content, words)
  server.watcher.emit('change', content)
}

// In development, React logs an error if the hydrated markup differs from the server's.
test('hydrates without errors, reloads after a change, and returns 404 for an unknown path', async ({
  page,
  form,
}) => {
  await page.goto(url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hero.headline)
  await form.press('incomplete')
  const content = join(copy, 'site/content.ts')
  writeFileSync(content, readFileSync(content, 'utf8').replace(hero.headline, 'Changed words'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Changed words')

  expect((await page.goto(`${url}/nowhere`))?.status()).toBe(404)
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
})

test('shows an error message for a mistake in the content until it is corrected', async ({
  page,
}) => {
  const correct = readFileSync(join(copy, 'site/content.ts'), 'utf8')
  serveContent(correct.replace(/( phone: '.*)\d'/, "$1'"))
  const failed = await page.request.get(url)
  expect(failed.status()).toBe(500)
  expect(await failed.text()).toContain('site/content.ts: company.phone is ')
  serveContent(correct)
  expect((await page.request.get(url)).status()).toBe(200)
})

test('fits a long company name without covering the headline or shrinking the logo', async ({
  page,
}) => {
  const words = readFileSync(join(copy, 'site/content.ts'), 'utf8')
  const name = 'Featherstonehaugh & Daughters Roofing and Sheet Metal Works'
  serveContent(words.replace(/( name: ).*/, `$1'${name}',`))
  const measure = (selector: string) =>
    page.locator(selector).filter({ visible: true }).first().boundingBox()
  await page.goto(url)
  await expect(page.locator('.deferred')).toHaveCount(0)
  for (const width of [1280, 1024, 768, 640, 360]) {
    await page.setViewportSize({ width, height: 740 })
    const header = await measure('header')
    const headline = await measure('.hero-words > *')
    expect(headline?.y).toBeGreaterThanOrEqual(header?.height ?? Number.POSITIVE_INFINITY)
    // The name is visible exactly once, in the header or above the headline.
    const names = page.locator('.home-link, .hero-company').getByText(name)
    await expect(names.filter({ visible: true })).toHaveCount(1)
    const logo = page.locator('footer .logo svg')
    expect(String((await logo.boundingBox())?.width)).toBe(await logo.getAttribute('width'))
  }
})

test('keeps three reviews still where all fit, and moves them on a phone', async ({ page }) => {
  const row = page.locator('[data-testimonials] .row')
  const button = page.locator('[data-drift-button]')
  const cards = [1, 2, 3].map((id) => ({ name: `Customer ${id}`, text: 'They fixed it.' }))
  const makeWords = (reviews: object[]) =>
    readFileSync(join(import.meta.dirname, '../site/content.ts'), 'utf8')
      .replace(/^ {2}reviews: \[\n[\s\S]*?^ {2}\],$/m, `reviews: ${JSON.stringify(reviews)},`)
      .replace(/^ *award: .*\n/m, '')
  serveContent(makeWords(cards))
  for (const [viewport, isDrifting] of [
    [desktop, false],
    [phone, true],
  ] as const) {
    await page.setViewportSize(viewport)
    await page.goto(url)
    // Wait until all sections are laid out, because later ones would push the row out of view again.
    await expect(page.locator('.deferred')).toHaveCount(0)
    await row.scrollIntoViewIfNeeded()
    await expect(row).toHaveAttribute(isDrifting ? 'data-drifting' : 'data-still')
    await expect(button).toBeVisible({ visible: isDrifting })
    await expect(row.locator('li:not([inert] li)')).toHaveCount(3)
    await expect(row.locator('.initials').first()).toHaveText('C')
    // With fewer than five reviews, the hero doesn't show their number.
    await expect(page.locator('.proof')).not.toContainText('reviews')
    // Without an award, there is no badge.
    await expect(page.locator('.badge')).toHaveCount(0)
  }
  // Without reviews, there is no review section.
  serveContent(makeWords([]).replace(hero.headline, 'No reviews'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No reviews')
  await expect(page.getByRole('heading', { name: testimonials.heading })).toHaveCount(0)
})
