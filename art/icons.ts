import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { computeContrast } from '#site/build/color.ts'
import { formatIcon, readLogo } from '#site/build/logo.ts'
import { type Brand, computePalette } from '#site/build/palette.ts'
import type { Job } from './brand.ts'
import { cutWeight } from './font.ts'
import { findSource } from './pictures.ts'

type Options = { root: string; brandDir: string; brand: Brand; name: string }

/** The tab's and the home screens' icons, and the picture of shared links. */
export function planIcons({ root, brandDir, brand, name }: Options): Job[] {
  const logo = join(brandDir, 'logo.svg')
  const { accent, ink, paper } = brand.colors
  const mark = computeContrast(paper, accent) >= 3 ? paper : ink
  const draw = async (rounded: boolean, size?: number) =>
    formatIcon(await readFile(logo, 'utf8'), { tile: accent, mark, rounded, ...(size && { size }) })
  // iOS and Android round the corners themselves; iOS shows transparency as black.
  const render = async (px: number, rounded: boolean, size?: number) =>
    sharp(Buffer.from(await draw(rounded, size)), { density: (72 * px) / 32 }).png()
  const site = join(root, 'site/public')
  const desk = join(root, 'desk/public')
  const icon = (target: string, make: () => Promise<unknown>): Job => {
    return { target, inputs: [logo], settings: `${accent} ${mark}`, make }
  }
  const svg = (target: string) => icon(target, async () => writeFile(target, await draw(true)))
  const png = (target: string, px: number, rounded: boolean, size?: number) =>
    icon(target, async () => (await render(px, rounded, size)).toFile(target))
  const ico = join(site, 'favicon.ico')
  const hero = findSource(brandDir, ['hero'])
  const share = join(site, 'og.jpg')
  return [
    svg(join(site, 'favicon.svg')),
    svg(join(desk, 'icon.svg')),
    icon(ico, async () => writeFile(ico, wrapAsIco(await (await render(32, true)).toBuffer(), 32))),
    png(join(site, 'apple-touch-icon.png'), 180, false),
    png(join(desk, 'apple-touch-icon.png'), 180, false),
    png(join(desk, 'icon-192.png'), 192, true),
    png(join(desk, 'icon-512.png'), 512, true),
    // Android may cut away all but the middle.
    png(join(desk, 'icon-maskable.png'), 512, false, 17),
    {
      target: share,
      inputs: [logo, hero],
      settings: `${name} ${ink} ${paper}`,
      make: async () => makeSharePicture(share, hero, await readFile(logo, 'utf8'), brand, name),
    },
  ]
}

function wrapAsIco(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22)
  header.writeUInt16LE(1, 2) // an icon, not a cursor
  header.writeUInt16LE(1, 4) // one picture
  header.writeUInt8(size, 6)
  header.writeUInt8(size, 7)
  header.writeUInt16LE(1, 10) // color planes
  header.writeUInt16LE(32, 12) // bits per pixel
  header.writeUInt32LE(png.length, 14)
  header.writeUInt32LE(header.length, 18)
  return Buffer.concat([header, png])
}

const escapeMarkup = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const widestLine = 1040

async function makeSharePicture(
  target: string,
  hero: string,
  logo: string,
  brand: Brand,
  name: string,
) {
  const { ink, paper, sand } = computePalette(brand)
  const small = { size: 44, weight: 600, color: sand }
  const lines = [
    { top: 280, size: 72, weight: 800, color: paper, text: escapeMarkup(name) },
    { top: 404, ...small, text: 'Free roofing estimate.' },
    { top: 464, ...small, text: 'A call back within 10 minutes.' },
  ]
  const fontDir = await mkdtemp(join(tmpdir(), 'archivo-'))
  try {
    const overlays: OverlayOptions[] = []
    let wordsEnd = 0
    for (const { top, size, weight, color, text } of lines) {
      const fontfile = join(fontDir, `archivo-${weight}.ttf`)
      await writeFile(fontfile, await cutWeight(weight))
      // The family is what the package's files call themselves, at every weight.
      const span = `<span font_family="Archivo SemiBold" weight="${weight}" foreground="${color}">${text}</span>`
      const line = { text: span, font: `Archivo ${size}`, fontfile, dpi: 72, rgba: true }
      const drawn = await sharp({ text: line }).png().toBuffer()
      // A long name is set smaller.
      const fitting = sharp(drawn).resize({ width: widestLine, withoutEnlargement: true })
      const { data: input, info } = await fitting.png().toBuffer({ resolveWithObject: true })
      overlays.push({ input, left: 80, top })
      wordsEnd = Math.max(wordsEnd, (80 + info.width) / 1200)
    }
    // As dark as words need for as far as they reach.
    const shade = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630">
      <linearGradient id="shade"><stop stop-color="${ink}" stop-opacity=".96"/><stop offset="${wordsEnd}" stop-color="${ink}" stop-opacity=".84"/><stop offset="${Math.min(1, wordsEnd + 0.3)}" stop-color="${ink}" stop-opacity="0"/></linearGradient>
      <path fill="url(#shade)" d="M0 0h1200v630H0z"/>
      ${readLogo(logo).place(80, 110, 112, paper)}
    </svg>`
    await sharp(hero)
      .autoOrient()
      .resize(1200, 630, { fit: 'cover', position: 'right' })
      .composite([{ input: Buffer.from(shade) }, ...overlays])
      .jpeg({ quality: 80, mozjpeg: true })
      // So that `npm run doctor` can tell whose name the picture shows.
      .withExif({ IFD0: { ImageDescription: `Share picture of ${name}` } })
      .toFile(target)
  } finally {
    await rm(fontDir, { recursive: true })
  }
}
