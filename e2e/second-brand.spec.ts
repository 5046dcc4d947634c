import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { cutBrand } from '#art/brand.ts'
import type { Brand } from '#site/build/palette.ts'
import { copySources } from '#testing/copy-sources.ts'
import { serveSite } from './site.ts'
import { expect, expectAccessible, expectNoShift, readToTheEnd, test, watchShifts } from './test.ts'

const name = 'Featherstonehaugh & Daughters Roofing and Sheet Metal'
const brand: Brand = {
  colors: { ink: '#2a1a4a', paper: '#f4f7fb', accent: '#f2b632' },
  corners: 'round',
}
const shots = join(import.meta.dirname, '../test-results/second-brand')

/** Another company: other colors, a long name, a light accent, upright pictures, five reviews, no award. */
async function buildSecondBrand(): Promise<string> {
  const folder = copySources()
  const change = (file: string, changed: (text: string) => string) =>
    writeFileSync(join(folder, file), changed(readFileSync(join(folder, file), 'utf8')))
  change('site/content.ts', (text) => {
    const reviews = text.match(/ {4}\{\n {6}name: .*?\n {4}\},\n/gs)?.slice(0, 5) ?? []
    return text
      .replace("'Ridgeline Roofing'", JSON.stringify(name))
      .replace(/\n {2}award: .*\n/, '\n')
      .replace(
        /(const rows: .* = \[\n).*?\n\]\n/s,
        (_, start) => `${start}[${reviews.join('')}]]\n`,
      )
  })
  change('site/brand/brand.ts', (text) =>
    text.replace(/export const brand.*/s, `export const brand: Brand = ${JSON.stringify(brand)}\n`),
  )
  change(
    'site/brand/logo.svg',
    () => '<svg viewBox="0 0 48 32"><path fill="#e00" d="M0 32L24 0l24 32z"/></svg>',
  )
  const brandDir = join(folder, 'site/brand')
  for (const sample of ['hero', 'hero-portrait', 'about']) rmSync(join(brandDir, `${sample}.webp`))
  const sky = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2600"><linearGradient id="a" x2="0" y2="1"><stop stop-color="#fff6c0"/><stop offset="1" stop-color="#7a8fb5"/></linearGradient><path fill="url(#a)" d="M0 0h2000v2600H0z"/><path fill="#553" d="M200 1500l800-500 800 500v900H200z"/></svg>`
  for (const picture of ['hero.jpg', 'about.jpg'])
    await sharp(Buffer.from(sky)).jpeg().toFile(join(brandDir, picture))
  mkdirSync(join(folder, 'desk/public'), { recursive: true })
  await cutBrand({ root: folder, brand, name, say: () => {}, effort: 0 })
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder, env })
  return folder
}

let folder: string
let site: Awaited<ReturnType<typeof serveSite>>
test.beforeAll(async () => {
  test.setTimeout(300_000)
  folder = await buildSecondBrand()
  site = await serveSite({ HOST: '127.0.0.1', DESK_PORT: '0' }, join(folder, 'dist'))
})
test.afterAll(async () => {
  await site?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('another company’s page holds: layout, colors, form, no shift', async ({ page, form }) => {
  await page.addInitScript(watchShifts)
  for (const width of [320, 360, 768, 1024, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`http://127.0.0.1:${site.port}/`)
    await expect(page.locator('.later')).toHaveCount(0)
    await readToTheEnd(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await expectNoShift(page)
    const call = await page.locator('.header-call').boundingBox()
    const button = await page.locator('header button').boundingBox()
    const home = await page.locator('.home-link').boundingBox()
    if (!call || !button || !home) throw new Error('not shown')
    expect(call.x + call.width).toBeLessThanOrEqual(button.x)
    expect(button.x + button.width).toBeLessThanOrEqual(width)
    // In one row, however long the name is; on the narrowest phone the sample needs two as well.
    if (width > 320)
      expect(Math.abs(call.y + call.height / 2 - (home.y + home.height / 2))).toBeLessThan(12)
    if (width === 360 || width === 1280)
      await page.screenshot({ path: join(shots, `${width}.png`), fullPage: true })
    if (width === 360 || width === 1280) await expectAccessible(page)
  }
  await expect(page.locator('.badge')).toHaveCount(0)
  await expect(page.locator('[data-testimonials] li:not([inert] li)')).toHaveCount(5)

  await form.press('incomplete')
  await expect(form.toast('incomplete')).toHaveCSS('opacity', '1')
  await expectAccessible(page)
  await form.fillIn()
  await form.press()
  await expect(form.note('received')).toBeVisible()
})
