import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { wcagContrast } from 'culori'
import sharp, { type OverlayOptions } from 'sharp'
import { type LogoDrawing, placeLogo } from '#site/build/drawing.ts'
import { formatIcon } from './logo.ts'
import { findSource, type Job } from './pictures.ts'

type Palette = Record<'accent' | 'ink' | 'paper' | 'sand', string>
type Options = {
  root: string
  brandDir: string
  logo: LogoDrawing
  palette: Palette
  words: readonly string[]
}

/** Plans the icons for browser tabs and home screens, and the picture for shared links. */
export function planIcons({ root, brandDir, logo, palette, words }: Options): Job[] {
  const { accent, ink, paper } = palette
  const mark = wcagContrast(paper, accent) >= 3 ? paper : ink
  const draw = (rounded: boolean, size?: number) =>
    formatIcon(logo, { tile: accent, mark, rounded, ...(size && { size }) })
  const site = join(root, 'site/public')
  const desk = join(root, 'desk/public')
  const svg = (target: string) => ({ target, make: () => writeFile(target, draw(true)) })
  // Leave Apple and maskable icons square, because the system rounds them and iOS shows transparent corners as black.
  const png = (target: string, px: number, rounded: boolean, size?: number) => ({
    target,
    make: () =>
      sharp(Buffer.from(draw(rounded, size)), { density: (72 * px) / 32 })
        .png()
        .toFile(target),
  })
  const hero = findSource(brandDir, ['hero'])
  const share = join(site, 'og.jpg')
  return [
    svg(join(site, 'favicon.svg')),
    svg(join(desk, 'icon.svg')),
    // A PNG works here, because browsers detect the format.
    png(join(site, 'favicon.ico'), 32, true),
    png(join(site, 'apple-touch-icon.png'), 180, false),
    png(join(desk, 'apple-touch-icon.png'), 180, false),
    png(join(desk, 'icon-192.png'), 192, true),
    png(join(desk, 'icon-512.png'), 512, true),
    // Make the logo smaller, because Android may crop the edges.
    png(join(desk, 'icon-maskable.png'), 512, false, 17),
    { target: share, make: () => makeSharePicture(share, { hero, logo, palette, words }) },
  ]
}

const escapeMarkup = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const widestLine = 1040

// Use .ttf files, because sharp cannot draw text in a variable WOFF2 font. If a font is not found, the text is drawn in
// a different font without a warning, so check og.jpg after a change.
const fontDir = join(import.meta.dirname, '../site/fonts')

async function makeSharePicture(
  target: string,
  { hero, logo, palette, words }: { hero: string } & Pick<Options, 'logo' | 'palette' | 'words'>,
) {
  const { ink, paper, sand } = palette
  const lines = words.map((text, index) =>
    index === 0
      ? { text, top: 280, size: 72, weight: 800, color: paper }
      : { text, top: 344 + 60 * index, size: 44, weight: 600, color: sand },
  )
  const overlays: OverlayOptions[] = []
  let wordsEnd = 0
  for (const { top, size, weight, color, text } of lines) {
    const fontfile = join(fontDir, `archivo-${weight}.ttf`)
    // Both .ttf files have this family name.
    const span = `<span font_family="Archivo SemiBold" weight="${weight}" foreground="${color}">${escapeMarkup(text)}</span>`
    const line = { text: span, font: `Archivo ${size}`, fontfile, dpi: 72, rgba: true }
    const drawn = await sharp({ text: line }).png().toBuffer()
    // Shrink a long name to fit.
    const fitting = sharp(drawn).resize({ width: widestLine, withoutEnlargement: true })
    const { data: input, info } = await fitting.png().toBuffer({ resolveWithObject: true })
    overlays.push({ input, left: 80, top })
    wordsEnd = Math.max(wordsEnd, (80 + info.width) / 1200)
  }
  // Keep the gradient dark behind the whole text.
  const shade = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630">
    <linearGradient id="shade"><stop stop-color="${ink}" stop-opacity=".96"/><stop offset="${wordsEnd}" stop-color="${ink}" stop-opacity=".84"/><stop offset="${Math.min(1, wordsEnd + 0.3)}" stop-color="${ink}" stop-opacity="0"/></linearGradient>
    <path fill="url(#shade)" d="M0 0h1200v630H0z"/>
    ${placeLogo(logo, { x: 80, y: 110, size: 112 }, paper)}
  </svg>`
  await sharp(hero)
    .autoOrient()
    .resize(1200, 630, { fit: 'cover', position: 'right' })
    .composite([{ input: Buffer.from(shade) }, ...overlays])
    .jpeg({ quality: 80, mozjpeg: true })
    .toFile(target)
}
