import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { brand } from '#site/brand/brand.ts'
import { findOldBrand } from '#site/build/brand-stamp.ts'
import { createDir } from '#testing/database.ts'
import { cutBrand } from './brand.ts'

const gps = { GPSLatitude: '44/1 58/1 0/1', GPSLatitudeRef: 'N' }

/** A checkout with nothing but a brand in it. */
function prepare() {
  const root = createDir()
  for (const folder of ['site/brand', 'site/pictures', 'site/public', 'desk/public', 'leads'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['site/brand/logo.svg', 'leads/look.ts']) copyFileSync(file, join(root, file))
  const said: string[] = []
  return {
    root,
    said,
    takePicture: (name: string, width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#a0522d' } })
        .jpeg()
        .withIccProfile('p3')
        .withExif({ IFD0: { Make: 'PhoneMaker' }, IFD3: gps })
        .toFile(join(root, 'site/brand', name)),
    cut: (name = 'Acme') =>
      cutBrand({ root, brand, name, say: (line) => said.push(line), effort: 0 }),
  }
}

test('a phone’s pictures are cut, without what the phone wrote into them, and only once', async () => {
  const { root, said, takePicture, cut } = prepare()
  await takePicture('hero.jpg', 2000, 2600)
  await takePicture('about.JPG', 1600, 1200)
  expect(await cut()).toBe(19)
  expect(said[0]).toMatch(/hero\.jpg \(2000 × 2600\) is upright, and hero is shown wide/)
  expect(said[1]).toMatch(/hero\.jpg .* not in sRGB: its colors are converted/)
  expect(said.filter((line) => / {2}\d+\.\d s$/.test(line))).toHaveLength(19)
  for (const path of ['pictures/hero-1920.avif', 'pictures/about-800.webp', 'public/og.jpg']) {
    const file = join(root, 'site', path)
    const { exif, icc, xmp } = await sharp(file).metadata()
    if (!path.endsWith('og.jpg'))
      expect([exif, icc, xmp]).toEqual([undefined, undefined, undefined])
    expect(readFileSync(file, 'latin1')).not.toMatch(/PhoneMaker|GPS/)
    // GPS data is its own directory, tag 0x8825, in either byte order.
    expect(exif?.toString('latin1') ?? '').not.toMatch(/\x88\x25|\x25\x88/)
  }
  expect(await sharp(join(root, 'site/pictures/hero-1920.avif')).metadata()).toMatchObject({
    width: 1920,
    height: 1080,
  })
  expect(await cut()).toBe(0)
  const find = (changes: object, name = 'Acme') =>
    findOldBrand({ root, brand: { ...brand, ...changes }, name })
  const name = 'Acme & Daughters'
  expect(find({})).toBeUndefined()
  expect(find({ colors: { ...brand.colors, ink: '#000000' } })).toBeDefined()
  expect(find({ corners: 'square' })).toBeDefined()
  expect(find({}, name)).toMatch('The name, a color')
  // Another name: the picture of shared links alone.
  expect(await cut(name)).toBe(1)
  expect(find({}, name)).toBeUndefined()
  await takePicture('about.JPG', 1200, 900)
  expect(find({}, name)).toBeDefined()
  // As in a clone of a repository that has not the originals.
  rmSync(join(root, 'site/brand/about.JPG'))
  expect(find({}, name)).toBeUndefined()
})

test('a picture that is too small, or missing, gets a sentence', async () => {
  const { takePicture, cut } = prepare()
  await expect(cut()).rejects.toThrow('site/brand/ has no hero.jpg')
  // Beside the sample's, which were to be deleted.
  await takePicture('hero.webp', 1920, 1080)
  await takePicture('hero.HEIC', 1920, 1080)
  await expect(cut()).rejects.toThrow(/^site\/brand\/hero\.HEIC .* as a JPEG.*Most Compatible/)
  await takePicture('hero.jpg', 1280, 720)
  await expect(cut()).rejects.toThrow(/hero\.jpg \(1280 × 720\) is too small .* 1920 × 1080/)
})
