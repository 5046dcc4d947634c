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
import { findOldBrand } from '#site/brand/made.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import { createDir } from '#testing/database.ts'
import { makeBrand } from './brand.ts'
import { planPictures } from './pictures.ts'

const gps = { GPSLatitude: '44/1 58/1 0/1', GPSLatitudeRef: 'N' }

const acme = { company: { name: 'Acme' }, head: { shareLines: ['Free estimate.'] } }

const folders = (root: string) => ({
  brandDir: join(root, 'site/brand'),
  targetDir: join(root, 'site/pictures'),
  effort: 0,
})

/** Creates a folder that contains only a brand. */
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
    make: (content = acme, changes: Partial<Brand> = {}) =>
      makeBrand({
        root,
        brand: { ...brand, ...changes },
        content,
        print: (line) => output.push(line),
        effort: 0,
      }),
  }
}

test('creates pictures without camera metadata, only after a change, and deletes unused ones', async () => {
  const { root, output, addPicture, make } = prepare()
  await addPicture('hero.jpg', 1920, 1930)
  await addPicture('about.JPG', 1200, 900)
  expect(await make()).toBe(21)
  expect(output[0]).toMatch(/hero\.jpg \(1920 × 1930\) is portrait, .* Turn the camera sideways/)
  expect(output[1]).toMatch(/hero\.jpg .* not in sRGB\. Its colors are converted/)
  expect(output.filter((line) => / {2}\d+\.\d sec$/.test(line))).toHaveLength(21)
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
  expect(await make()).toBe(0)
  const find = (changes: object, content = acme) =>
    findOldBrand({ root, brand: { ...brand, ...changes }, content })
  const other = { company: { name: 'Acme & Daughters' }, head: { shareLines: ['Call <us>.'] } }
  expect(find({})).toBeUndefined()
  expect(find({ colors: { ...brand.colors, ink: '#000000' } })).toBeDefined()
  expect(find({ corners: 'square' })).toBeDefined()
  expect(find({}, { ...acme, head: other.head })).toMatch('The brand has changed (its name,')
  expect(find({}, { ...acme, company: other.company })).toBeDefined()
  // The name and the lines appear only in the picture for shared links.
  expect(await make(other)).toBe(1)
  expect(find({}, other)).toBeUndefined()

  const listMade = () =>
    readdirSync(join(root, 'site/pictures'))
      .filter((file) => /^(night|service)/.test(file))
      .sort()
  await addPicture('service-repairs.jpg', 700, 500)
  await expect(make(other)).rejects.toThrow(
    /service-repairs\.jpg \(700 × 500\) is too small .* 800 × 533/,
  )
  await addPicture('service-repairs.jpg', 800, 600)
  await addPicture('Service-Gutters.PNG', 1200, 800)
  expect(await make(other)).toBe(4)
  const gutters = ['service-gutters-480.avif', 'service-gutters-800.avif']
  const repairs = ['service-repairs-480.avif', 'service-repairs-800.avif']
  expect(listMade()).toEqual(['night-1440.avif', ...gutters, ...repairs])
  // The owner's night picture replaces hero.
  await addPicture('night.jpg', 1440, 480)
  expect(await make(other)).toBe(1)
  rmSync(join(root, 'site/brand/service-repairs.jpg'))
  const plain = { emergencyPicture: 'none' } as const
  expect(find(plain, other)).toBeDefined()
  await make(other, plain)
  expect(listMade()).toEqual(gutters)
  expect(output).toContain('Deleted site/pictures/service-repairs-480.avif.')
  expect(readFileSync(join(root, 'site/brand/made.json'), 'utf8')).not.toContain('repairs-480')

  await addPicture('about.JPG', 1200, 910)
  expect(find(plain, other)).toBeDefined()
  // A clone may lack the originals.
  rmSync(join(root, 'site/brand/about.JPG'))
  expect(find(plain, other)).toBeUndefined()
})

test('explains the problem with a missing, broken, or small file', async () => {
  const { root, addPicture, make } = prepare()
  await expect(make()).rejects.toThrow('site/brand/ has no hero.jpg')
  // The sample's .webp may still exist.
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
  await jobs.find(({ target }) => target.endsWith('hero-portrait-640.avif'))?.make()
  const phones = await sharp(join(root, 'site/pictures/hero-portrait-640.avif')).stats()
  // The owner's picture has one color.
  for (const { stdev } of phones.channels) expect(stdev).toBeLessThan(1)
  // The owner's portrait picture is used.
  await addPicture('hero-portrait.webp', 900, 1200)
  expect((await plan()).notes.join()).not.toContain('sample')
})

test('light text is readable on the night version of a white picture', async () => {
  const { root, addPicture } = prepare()
  const white = { create: { width: 1920, height: 1080, channels: 3, background: '#fff' } } as const
  await sharp(white).png().toFile(join(root, 'site/brand/hero.png'))
  await addPicture('about.jpg', 1200, 900)
  const { jobs } = await planPictures(folders(root))
  await jobs.find(({ target }) => target.endsWith('night-1440.avif'))?.make()
  const { channels } = await sharp(join(root, 'site/pictures/night-1440.avif')).stats()
  const [r = 1, g = 1, b = 1] = channels.map(({ max }) => max / 255)
  expect(wcagContrast(brand.colors.paper, { mode: 'rgb', r, g, b })).toBeGreaterThanOrEqual(6)
})
