import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { hero, testimonials } from '#site/content.ts'
import { copySources } from '#testing/copy-sources.ts'
import { press } from './form.ts'
import { desktop, expect, phone, test } from './test.ts'

// `npm run dev` on a copy of the sources, so that the test may change them. One server for all of them.
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

// React reports here, as an error, any markup that the browser's form and the built one do not share.
test('the page hydrates silently, and a changed word shows by itself', async ({ page }) => {
  await page.goto(url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hero.headline)
  await press(page, 'incomplete')
  const content = join(copy, 'site/content.ts')
  writeFileSync(content, readFileSync(content, 'utf8').replace(hero.headline, 'Changed words'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Changed words')
})

test.describe('an owner with three reviews and no award', () => {
  const row = '[data-testimonials] .row'
  const cards = [1, 2, 3].map((id) => ({ id, name: `Customer ${id}`, text: 'They fixed it.' }))

  function writeWords(rows: object[][]) {
    const words = readFileSync(join(import.meta.dirname, '../site/content.ts'), 'utf8')
      .replace(/^const rows: .* = \[\n[\s\S]*?^\]$/m, `const rows: any = ${JSON.stringify(rows)}`)
      .replace(/^ *award: .*\n/m, '')
    writeFileSync(join(copy, 'site/content.ts'), words)
  }

  test('has one row, which stands still where all of it fits, and no badge', async ({ page }) => {
    writeWords([cards, []])
    await page.setViewportSize(desktop)
    await page.goto(url)
    await page.locator(row).scrollIntoViewIfNeeded()
    await expect(page.locator(`${row} li`)).toHaveCount(3)
    await expect(page.locator('[data-drifting]')).toHaveCount(0)
    await expect(page.locator('[data-drift-button]')).toBeHidden()
    await expect(page.locator('.badge')).toHaveCount(0)

    // Without any review there is no empty section.
    writeWords([])
    await expect(page.getByRole('heading', { name: testimonials.heading })).toHaveCount(0)
  })

  test('sees the row drift on a phone, where it does not fit', async ({ page }) => {
    writeWords([cards])
    await page.setViewportSize(phone)
    await page.goto(url)
    await page.locator(row).scrollIntoViewIfNeeded()
    await expect(page.locator(row)).toHaveAttribute('data-drifting')
    await expect(page.locator('[data-drift-button]')).toBeVisible()
  })
})

test('an unknown path is the 404 page while developing, too', async ({ page }) => {
  const response = await page.goto(`${url}/nowhere`)
  expect(response?.status()).toBe(404)
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
})
