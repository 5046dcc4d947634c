import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { wcagContrast } from 'culori'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { UserError } from '#leads/user-error.ts'
import { brand } from '#site/brand/brand.ts'
import { findOldBrand } from '#site/brand/brand-stamp.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import { createDir } from '#testing/database.ts'
import made from '../leads/brand.json' with { type: 'json' }
import { makeBrand } from './brand.ts'
import { planPictures } from './pictures.ts'

const gps = { GPSLatitude: '44/1 58/1 0/1', GPSLatitudeRef: 'N' }

const acme = { company: { name: 'Acme' }, head: { shareLines: ['Free estimate.'] } }

const folders = (root: string) => ({
  brandDir: join(root, 'site/brand'),
  targetDir: join(root, 'site/pictures'),
  effort: 0,
})

/** Creates a folder with only the files of a brand. */
function prepare() {
  const root = createDir()
  for (const folder of ['site/brand', 'site/pictures', 'site/public', 'desk/public', 'leads'])
    mkdirSync(join(root, folder), { recursive: true })
  copyFileSync('site/brand/logo.svg', join(root, 'site/brand/logo.svg'))
  const output: string[] = []
  return {
    root,
    output,
    addPicture: (name: string, width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#a0522d' } })
        .jpeg()
        .withIccProfile('p3')
        .withExif({ IFD0: { Make: 'PhoneMaker' }, IFD3: gps })
        .toFile(join(root, 'site/brand', name)),
    make: () =>
      makeBrand({
        root,
        brand,
        content: acme,
        print: (line) => output.push(line),
        effort: 0,
      }),
  }
}

test('creates pictures without camera metadata, and deletes unused ones', async () => {
  const { root, output, addPicture, make } = prepare()
  await addPicture('hero.jpg', 1920, 1930)
  await addPicture('about.JPG', 1200, 900)
  await addPicture('service-repairs.jpg', 700, 500)
  await expect(make()).rejects.toThrow(
    /service-repairs\.jpg \(700 × 500\) is too small .* 800 × 533/,
  )
  await addPicture('service-repairs.jpg', 800, 600)
  await addPicture('Service-Gutters.PNG', 1200, 800)
  await addPicture('night.jpg', 1440, 1080)
  await make()
  const notes = output.join('\n')
  expect(notes).toMatch(/hero\.jpg \(1920 × 1930\) is portrait, .* Turn the camera sideways/)
  expect(notes).toMatch(/hero\.jpg .* not in sRGB\. Its colors are converted/)
  for (const path of ['pictures/hero-1920.avif', 'pictures/about-800.webp', 'public/og.jpg']) {
    const file = join(root, 'site', path)
    const { exif, icc, xmp } = await sharp(file).metadata()
    expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined])
    expect(readFileSync(file, 'latin1')).not.toMatch(/PhoneMaker|GPS/)
  }
  expect(await sharp(join(root, 'site/pictures/hero-1920.avif')).metadata()).toMatchObject({
    width: 1920,
    height: 1080,
  })
  const listMade = () =>
    readdirSync(join(root, 'site/pictures'))
      .filter((file) => /^(night|service)/.test(file))
      .sort()
  const gutters = ['service-gutters-480.avif', 'service-gutters-800.avif']
  const repairs = ['service-repairs-480.avif', 'service-repairs-800.avif']
  expect(listMade()).toEqual(['night-1440.avif', ...gutters, ...repairs])

  for (const file of ['service-repairs.jpg', 'night.jpg']) rmSync(join(root, 'site/brand', file))
  await make()
  expect(listMade()).toEqual(gutters)
  expect(output).toContain('Deleted site/pictures/service-repairs-480.avif.')
})

test('reports a brand that has changed since it was created', async () => {
  const { root, addPicture, make } = prepare()
  await addPicture('hero.jpg', 1920, 1080)
  await addPicture('about.jpg', 1200, 900)
  await make()
  const find = (changes: Partial<Brand> = {}, content = acme) =>
    findOldBrand({ root, brand: { ...brand, ...changes }, content })
  expect(find()).toBeUndefined()
  expect(find({ colors: { ...brand.colors, ink: '#000000' } })).toBeDefined()
  expect(find({ corners: 'square' })).toBeDefined()
  const head = { shareLines: ['Call <us>.'] }
  expect(find({}, { ...acme, head })).toMatch('The brand has changed (its name,')
  expect(find({}, { ...acme, company: { name: 'Acme & Daughters' } })).toBeDefined()
  await addPicture('about.jpg', 1200, 910)
  expect(find()).toBeDefined()
  // A clone may lack the original pictures.
  rmSync(join(root, 'site/brand/hero.jpg'))
  expect(find()).toBeUndefined()
})

test('explains the problem with a missing, broken, or small file', async () => {
  const { root, addPicture, make } = prepare()
  await expect(make()).rejects.toThrow('site/brand/ has no hero.jpg')
  // The sample .webp may still exist.
  await addPicture('hero.webp', 1920, 1080)
  await addPicture('hero.HEIC', 1920, 1080)
  await expect(make()).rejects.toThrow(/^site\/brand\/hero\.HEIC .* as a JPEG.*Most Compatible/)
  await addPicture('hero.jpg', 1280, 720)
  await expect(make()).rejects.toThrow(/hero\.jpg \(1280 × 720\) is too small .* 1920 × 1080/)
  await addPicture('hero.jpg', 1080, 1920)
  await expect(make()).rejects.toThrow(
    'hero.jpg (1080 × 1920) is portrait, but hero is landscape and needs at least 1920 × 1080 pixels. Turn the camera sideways',
  )
  const hero = join(root, 'site/brand/hero.jpg')
  const isBroken = /^site\/brand\/hero\.jpg is damaged or not a picture\. Copy it .* again/
  await addPicture('hero.jpg', 1920, 1080)
  truncateSync(hero, 5_000)
  await expect(make()).rejects.toThrow(isBroken)
  writeFileSync(hero, 'not a picture')
  await expect(make()).rejects.toThrow(isBroken)
  await addPicture('hero.jpg', 1920, 1080)
  await addPicture('about.jpg', 1200, 900)
  rmSync(join(root, 'site/brand/logo.svg'))
  await expect(make()).rejects.toThrow('site/brand/logo.svg is missing. Save your logo there')
  await expect(make()).rejects.toThrow(UserError)
})

test('explains that a misnamed picture is not used', async () => {
  const { root, addPicture } = prepare()
  for (const name of ['hero.jpg', 'about.jpg', 'service-repair.jpg', 'heroportrait.png'])
    await addPicture(name, 1920, 1300)
  const { notes } = await planPictures({ ...folders(root), cards: [{ picture: 'repairs' }, {}] })
  const known = 'It uses pictures named hero, hero-portrait, about, night, service-repairs.'
  expect(notes).toContain(
    `The site does not use site/brand/service-repair.jpg. Did you mean service-repairs.jpg? ${known}`,
  )
  expect(notes).toContain(
    `The site does not use site/brand/heroportrait.png. Did you mean hero-portrait.png? ${known}`,
  )
})

test('reports which of two pictures is used', async () => {
  const { root, addPicture } = prepare()
  for (const name of ['hero.png', 'hero.JPG']) await addPicture(name, 1920, 1080)
  await addPicture('about.jpg', 1200, 900)
  const { notes } = await planPictures(folders(root))
  expect(notes).toContain(
    "site/brand/ has hero.JPG and hero.png. The site uses hero.JPG. Delete the one that you don't want.",
  )
})

test('does not show the sample house on phones once the owner has added a picture', async () => {
  const { root, addPicture } = prepare()
  const sample = 'site/brand/hero-portrait.webp'
  if (!existsSync(sample)) return
  copyFileSync(sample, join(root, sample))
  await addPicture('hero.jpg', 1920, 1080)
  await addPicture('about.jpg', 1200, 900)
  const plan = () => planPictures(folders(root))
  const { jobs, notes } = await plan()
  expect(notes).toContain(
    'site/brand/hero-portrait.webp is the sample picture, so phones show the middle of hero.jpg instead. Delete hero-portrait.webp, or replace it with your own picture.',
  )
  await jobs.find(({ target }) => target.endsWith('hero-portrait-1080.avif'))?.make()
  const phones = await sharp(join(root, 'site/pictures/hero-portrait-1080.avif')).stats()
  // The picture has only one color, so it is the owner's.
  for (const { stdev } of phones.channels) expect(stdev).toBeLessThan(1)
  // The owner's own portrait picture is used, even under the same name.
  await addPicture('hero-portrait.webp', 1200, 1500)
  expect((await plan()).notes.join()).not.toContain('sample')
})

test('the shades in use are those of this site’s pictures', async () => {
  // A clone may lack the original pictures.
  if (!existsSync('site/brand/hero.webp') || !existsSync('site/brand/night.webp')) return
  const { shades, heroTop } = await planPictures({ ...folders('.'), cards: [] })
  expect({ shades, heroTop }).toEqual({ shades: made.shades, heroTop: made.heroTop })
})

test('computes the weakest shade on which the words are readable, also on a white picture', async () => {
  const { root, addPicture } = prepare()
  await addPicture('about.jpg', 1200, 900)
  for (const [background, shade] of [
    ['#2b3f63', 0],
    ['#ffffff', 0.56],
  ] as const) {
    for (const name of ['hero', 'night'])
      await sharp({ create: { width: 1920, height: 1296, channels: 3, background } })
        .png()
        .toFile(join(root, 'site/brand', `${name}.png`))
    const { shades } = await planPictures(folders(root))
    expect(shades).toEqual({ wide: shade, wideTop: shade, tall: shade, night: shade })
  }
  const gray = Math.round(255 * (1 - 0.56))
  expect(wcagContrast('white', `rgb(${gray}, ${gray}, ${gray})`)).toBeGreaterThan(4.5)
  expect(wcagContrast('white', `rgb(${gray + 10}, ${gray + 10}, ${gray + 10})`)).toBeLessThan(4.5)
})
