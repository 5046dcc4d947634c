import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { UserError } from '#leads/user-error.ts'
import { brand } from '#site/brand/brand.ts'
import { findOldBrand } from '#site/brand/made.ts'
import { createDir } from '#testing/database.ts'
import { makeBrand } from './brand.ts'
import { planPictures } from './pictures.ts'

const gps = { GPSLatitude: '44/1 58/1 0/1', GPSLatitudeRef: 'N' }

const acme = { company: { name: 'Acme' }, head: { shareLines: ['Free estimate.'] } }

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
    make: (content = acme) =>
      makeBrand({ root, brand, content, print: (line) => output.push(line), effort: 0 }),
  }
}

test('creates pictures without camera metadata, and only after a change', async () => {
  const { root, output, addPicture, make } = prepare()
  await addPicture('hero.jpg', 1920, 1930)
  await addPicture('about.JPG', 1200, 900)
  expect(await make()).toBe(19)
  expect(output[0]).toMatch(/hero\.jpg \(1920 × 1930\) is portrait, .* Turn the camera sideways/)
  expect(output[1]).toMatch(/hero\.jpg .* not in sRGB\. Its colors are converted/)
  expect(output.filter((line) => / {2}\d+\.\d s$/.test(line))).toHaveLength(19)
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
  await addPicture('about.JPG', 1200, 910)
  expect(find({}, other)).toBeDefined()
  // A clone may lack the originals.
  rmSync(join(root, 'site/brand/about.JPG'))
  expect(find({}, other)).toBeUndefined()
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
  const { notes } = await planPictures(join(root, 'site/brand'), join(root, 'site/pictures'), 0)
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
  const plan = () => planPictures(join(root, 'site/brand'), join(root, 'site/pictures'), 0)
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
