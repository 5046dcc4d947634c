import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Page } from '@playwright/test'
import { wcagContrast } from 'culori'
import sharp from 'sharp'
import { planPictures } from '#brand-tools/pictures.ts'
import { toKebab } from '#site/build/drawing.ts'
import { expect, test, waitForPaint } from './test.ts'

// Measures the contrast of white text on the pictures of the hero and the emergency section, with the shades that
// `npm run brand` computes.

const screens = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1024, height: 768 },
  { width: 1280, height: 1024 },
  { width: 1920, height: 1080 },
  { width: 2560, height: 1440 },
]

/** The parts of the page that have white text on a picture. */
const places = [
  {
    section: 'html',
    parts: '.site-header .page-width, .hero-words, .hero-statistics',
    picture: '.hero-picture',
  },
  {
    section: '.emergency-band',
    parts: '.emergency-band .page-width',
    picture: '.night-picture img',
  },
]

type Areas = { landscape: string; portrait: string }

/** The white areas of black pictures, as SVG paths. The night picture uses the landscape path. */
const pictures: Record<string, Areas> = {
  'a white picture': { landscape: 'M0 0h100v100H0z', portrait: 'M0 0h100v100H0z' },
  'a picture that is white at the top': { landscape: 'M0 0h100v10H0z', portrait: 'M0 0h100v10H0z' },
  'a picture that is dark only at the top': {
    landscape: 'M0 20h100v80H0z',
    portrait: 'M0 20h100v80H0z',
  },
  'a picture that is dark only where the words are': {
    landscape: 'M0 81h40V14H0V0h100v100H0z',
    portrait: 'M0 56h100v44H0z',
  },
  'a picture that is dark only on the left': {
    landscape: 'M41 0h59v100H41z',
    portrait: 'M41 0h59v100H41z',
  },
}

test('white words are readable on the picture of this site', async ({ page }) => {
  await page.goto('/')
  await expectReadable(page)
})

for (const [name, areas] of Object.entries(pictures))
  test(`white words are readable on ${name}`, async ({ page }) => {
    const { files, values } = await makePictures(areas)
    await page.route(/\/(hero|night)-[^/]+\.avif$/, (route) => {
      const [, name = ''] =
        route
          .request()
          .url()
          .match(/([^/]+)-[\w-]{5}\.avif$/) ?? []
      return route.fulfill({ contentType: 'image/avif', body: files[`${name}.avif`] ?? '' })
    })
    await page.goto('/')
    await page.evaluate((values) => {
      for (const [name, value] of Object.entries(values))
        document.documentElement.style.setProperty(name, value)
      // Make the text longer, because an owner's text may be longer than the sample text.
      for (const text of document.querySelectorAll<HTMLElement>('.emergency-band :is(li, p)')) {
        text.append(' We answer day and night.')
        text.style.textWrap = 'wrap'
      }
    }, values)
    await expectReadable(page)
  })

/** Makes the picture files and their custom properties, as `npm run brand` does. */
async function makePictures({ landscape, portrait }: Areas) {
  const [brandDir, targetDir] = [
    mkdtempSync(join(tmpdir(), 'brand-')),
    mkdtempSync(join(tmpdir(), 'made-')),
  ]
  const draw = (name: string, width: number, height: number, white: string) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none" shape-rendering="crispEdges"><path d="M0 0h100v100H0z"/><path fill="#fff" d="${white}"/></svg>`,
      ),
    ).toFile(join(brandDir, `${name}.png`))
  await draw('hero', 1920, 1080, landscape)
  await draw('hero-portrait', 1080, 1296, portrait)
  await draw('about', 1200, 900, landscape)
  await draw('night', 1440, 480, landscape)
  const { jobs, shades, heroTop } = await planPictures({ brandDir, targetDir, effort: 0 })
  const files: Record<string, Buffer> = {}
  for (const { target, make } of jobs) {
    if (!/(hero|night).*avif$/.test(target)) continue
    await make()
    files[basename(target)] = readFileSync(target)
  }
  for (const folder of [brandDir, targetDir]) rmSync(folder, { recursive: true })
  const values = Object.fromEntries(
    Object.entries(shades).map(([name, shade]) => [`--shade-${toKebab(name)}`, String(shade)]),
  )
  return { files, values: { ...values, '--color-hero-top': heroTop } }
}

async function expectReadable(page: Page) {
  await expect(page.locator('.deferred')).toHaveCount(0)
  for (const { section, parts, picture } of places)
    for (const screen of screens) {
      await page.setViewportSize(screen)
      await page.locator(section).evaluate((one) => one.scrollIntoView({ behavior: 'instant' }))
      await page
        .locator(picture)
        .evaluateAll((pictures: HTMLImageElement[]) =>
          Promise.all(pictures.map((one) => one.decode())),
        )
      await waitForPaint(page)
      const boxes = await page.evaluate(hideWords, parts)
      expect(boxes.length).toBeGreaterThan(3)
      const { data, info } = await sharp(await page.screenshot())
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      const faults = boxes.flatMap(({ text, left, top, right, bottom }) => {
        const colors = new Set<number>()
        for (let y = Math.max(0, Math.floor(top)); y < Math.min(bottom, info.height); y++)
          for (let x = Math.max(0, Math.floor(left)); x < Math.min(right, info.width); x++)
            colors.add(data.readUIntBE((y * info.width + x) * 3, 3))
        const contrasts = [...colors].map((color) =>
          wcagContrast('white', `#${color.toString(16).padStart(6, '0')}`),
        )
        const worst = Math.min(...contrasts)
        return worst < 4.5 ? [`${text} ${worst.toFixed(2)}`] : []
      })
      expect(faults, `${section}, ${screen.width} px`).toEqual([])
    }
}

/** Runs in the page. Makes the text on the picture transparent, and returns its boxes. */
function hideWords(parts: string) {
  const styles = new CSSStyleSheet()
  styles.replaceSync(
    `:is(${parts}) :not(.button, .button *) { color: transparent !important; text-decoration-color: transparent !important }
    :is(${parts}) svg { visibility: hidden } .hero-statistics { border-color: transparent !important }`,
  )
  document.adoptedStyleSheets = [styles]
  const boxes: { text: string; left: number; top: number; right: number; bottom: number }[] = []
  for (const part of document.querySelectorAll(parts)) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const node = texts.currentNode
      if (node.parentElement?.closest('.button, noscript')) continue
      const range = document.createRange()
      range.selectNode(node)
      for (const { left, top, right, bottom } of range.getClientRects())
        boxes.push({ text: node.textContent ?? '', left, top, right, bottom })
    }
  }
  return boxes
}
