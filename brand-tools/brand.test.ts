import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { brand } from '#site/brand/brand.ts'
import { findOldBrand } from '#site/brand/made.ts'
import { createDir } from '#testing/database.ts'
import { makeBrand } from './brand.ts'

const gps = { GPSLatitude: '44/1 58/1 0/1', GPSLatitudeRef: 'N' }

/** Makes a folder with only a brand in it. */
function prepare() {
  const root = createDir()
  for (const folder of ['site/brand', 'site/pictures', 'site/public', 'desk/public', 'leads'])
    mkdirSync(join(root, folder), { recursive: true })
  copyFileSync('site/brand/logo.svg', join(root, 'site/brand/logo.svg'))
  const said: string[] = []
  return {
    root,
    said,
    addPicture: (name: string, width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#a0522d' } })
        .jpeg()
        .withIccProfile('p3')
        .withExif({ IFD0: { Make: 'PhoneMaker' }, IFD3: gps })
        .toFile(join(root, 'site/brand', name)),
    make: (name = 'Acme') =>
      makeBrand({ root, brand, name, say: (line) => said.push(line), effort: 0 }),
  }
}

test('makes pictures without the phone’s metadata, and only when something has changed', async () => {
  const { root, said, addPicture, make } = prepare()
  await addPicture('hero.jpg', 2000, 2600)
  await addPicture('about.JPG', 1600, 1200)
  expect(await make()).toBe(19)
  expect(said[0]).toMatch(/hero\.jpg \(2000 × 2600\) is portrait, but hero is landscape/)
  expect(said[1]).toMatch(/hero\.jpg .* not in sRGB\. Its colors are converted/)
  expect(said.filter((line) => / {2}\d+\.\d s$/.test(line))).toHaveLength(19)
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
  const find = (changes: object, name = 'Acme') =>
    findOldBrand({ root, brand: { ...brand, ...changes }, name })
  const name = 'Acme & Daughters'
  expect(find({})).toBeUndefined()
  expect(find({ colors: { ...brand.colors, ink: '#000000' } })).toBeDefined()
  expect(find({ corners: 'square' })).toBeDefined()
  expect(find({}, name)).toMatch('The name, a color')
  // The name appears only in the picture for shared links.
  expect(await make(name)).toBe(1)
  expect(find({}, name)).toBeUndefined()
  await addPicture('about.JPG', 1200, 900)
  expect(find({}, name)).toBeDefined()
  // A clone may lack the originals.
  rmSync(join(root, 'site/brand/about.JPG'))
  expect(find({}, name)).toBeUndefined()
})

test('explains what is wrong with a missing or too small picture', async () => {
  const { addPicture, make } = prepare()
  await expect(make()).rejects.toThrow('site/brand/ has no hero.jpg')
  // The sample's .webp may still be there.
  await addPicture('hero.webp', 1920, 1080)
  await addPicture('hero.HEIC', 1920, 1080)
  await expect(make()).rejects.toThrow(/^site\/brand\/hero\.HEIC .* as a JPEG.*Most Compatible/)
  await addPicture('hero.jpg', 1280, 720)
  await expect(make()).rejects.toThrow(/hero\.jpg \(1280 × 720\) is too small .* 1920 × 1080/)
})
