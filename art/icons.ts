import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { company } from '#site/content.ts'
import { cutWeight } from './font.ts'

const palette = { ink: '#1b2326', cream: '#faf6ee', sand: '#efe6d6' }

export async function makeIcons(publicDir: string) {
  const drawing = await readFile(`${publicDir}/favicon.svg`, 'utf8')
  // iOS rounds the corners itself and shows transparency as black.
  await sharp(Buffer.from(drawing.replace('rx="7"', '')), { density: (72 * 180) / 32 })
    .png()
    .toFile(`${publicDir}/apple-touch-icon.png`)
  const icon = await sharp(Buffer.from(drawing)).png().toBuffer()
  await writeFile(`${publicDir}/favicon.ico`, wrapAsIco(icon, 32))
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

export async function makeSharePicture(sourceDir: string, picturesDir: string, publicDir: string) {
  const logo = await readFile(`${picturesDir}/logo-mark.svg`, 'utf8')
  const [, mark = ''] = logo.match(/ d="(.+?)"/) ?? []
  const shade = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630">
    <linearGradient id="shade"><stop stop-color="${palette.ink}" stop-opacity=".96"/><stop offset=".45" stop-color="${palette.ink}" stop-opacity=".84"/><stop offset=".85" stop-color="${palette.ink}" stop-opacity="0"/></linearGradient>
    <path fill="url(#shade)" d="M0 0h1200v630H0z"/>
    <path fill="${palette.cream}" transform="translate(80 110) scale(3.5)" d="${mark}"/>
  </svg>`
  const small = { size: 44, weight: 600, color: palette.sand }
  const lines = [
    { top: 280, size: 72, weight: 800, color: palette.cream, text: escapeMarkup(company.name) },
    { top: 404, ...small, text: 'Free roofing estimate.' },
    { top: 464, ...small, text: 'A call back within 10 minutes.' },
  ]
  const fontDir = await mkdtemp(join(tmpdir(), 'archivo-'))
  try {
    const overlays: OverlayOptions[] = [{ input: Buffer.from(shade) }]
    for (const { top, size, weight, color, text } of lines) {
      const fontfile = join(fontDir, `archivo-${weight}.ttf`)
      await writeFile(fontfile, await cutWeight(weight))
      // The family is what the package's files call themselves, at every weight.
      const span = `<span font_family="Archivo SemiBold" weight="${weight}" foreground="${color}">${text}</span>`
      const line = { text: span, font: `Archivo ${size}`, fontfile, dpi: 72, rgba: true }
      overlays.push({ input: await sharp({ text: line }).png().toBuffer(), left: 80, top })
    }
    await sharp(join(sourceDir, 'hero.webp'))
      .resize(1200, 630, { fit: 'cover', position: 'right' })
      .composite(overlays)
      .jpeg({ quality: 80, mozjpeg: true })
      // So that `npm run doctor` can tell whose name the picture shows.
      .withExif({ IFD0: { ImageDescription: `Share picture of ${company.name}` } })
      .toFile(`${publicDir}/og.jpg`)
  } finally {
    await rm(fontDir, { recursive: true })
  }
}
