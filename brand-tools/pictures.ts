import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { countEdits } from '#leads/unknown-variables.ts'
import { UserError } from '#leads/user-error.ts'
import { type Area, computeShade, computeTopColor, measuredWidth } from './shade.ts'

export type Job = { target: string; make: () => Promise<unknown> }

type Size = { width: number; avif: number; webp?: number }
type Picture = {
  sources: string[]
  shape: [width: number, height: number]
  sizes: Size[]
  /** Crops a taller picture to its top instead of its middle. */
  keepTop?: true
  /** The area of the picture with white text on it, by the name of the shade behind the text. */
  words?: Partial<Record<ShadeName, Area>>
}

/** The style sheets have a custom property for each of these, such as --shade-wide. */
const shadeNames = ['wide', 'wideTop', 'tall', 'night'] as const
type ShadeName = (typeof shadeNames)[number]

// Each width has its own quality, because artifacts are harder to see on high-density screens.
const pictures: Record<string, Picture> = {
  hero: {
    sources: ['hero'],
    shape: [1920, 1080],
    sizes: [
      { width: 1024, avif: 52, webp: 66 },
      { width: 1440, avif: 50 },
      { width: 1920, avif: 48 },
    ],
    // The text and the header on screens up to 2560 px wide (hero.css, e2e/contrast.spec.ts).
    words: { wide: { top: 0.15, right: 0.395, bottom: 0.8 }, wideTop: { bottom: 0.25 } },
  },
  // For phones and tablets. The text ends at 55% of the height (hero.css), above the chimney in the sample picture.
  'hero-portrait': {
    sources: ['hero-portrait', 'hero'],
    shape: [1080, 1296],
    sizes: [{ width: 1080, avif: 27 }],
    keepTop: true,
    words: { tall: { bottom: 0.55 } },
  },
  about: {
    sources: ['about'],
    shape: [1200, 894],
    sizes: [
      { width: 480, avif: 46 },
      { width: 800, avif: 46, webp: 48 },
      { width: 1200, avif: 44 },
    ],
  },
}

/** The picture in the emergency section. */
const night: Picture = {
  sources: ['night'],
  shape: [1440, 480],
  sizes: [{ width: 1440, avif: 40 }],
  // On the narrowest screen with text on the picture (emergency-band.css), the longest text takes 46% of the width.
  words: { night: { right: 0.46 } },
}

/** Describes the picture on a card under "Our Services". */
const service = (name: string): Picture => ({
  sources: [name],
  shape: [800, 533],
  sizes: [
    { width: 480, avif: 44 },
    { width: 800, avif: 34 },
  ],
})

/** The hashes of the sample hero-portrait.webp and hero.webp. */
const sampleHashes = { portrait: 'ada1d3756d77d3ce', hero: 'adaf79d754df0b82' }

// Try .webp last: the sample pictures are .webp files, and the owner's pictures must take precedence over them.
const endings = ['jpg', 'jpeg', 'png', 'heic', 'heif', 'webp']

/** Lists the files for a picture. The first one is used. */
function listSources(brandDir: string, name: string): string[] {
  const files = readdirSync(brandDir)
  return endings.flatMap((ending) =>
    files.filter((file) => file.toLowerCase() === `${name}.${ending}`),
  )
}

export function findSource(brandDir: string, names: string[]): string {
  const [found] = names.flatMap((name) => listSources(brandDir, name))
  if (!found)
    throw new UserError(`site/brand/ has no ${names.at(-1)}.jpg, .png, or .webp. Add one.`)
  if (/\.hei[cf]$/i.test(found))
    throw new UserError(
      `site/brand/${found} cannot be read. Export it as a JPEG. (To take JPEGs on an iPhone, choose Settings > Camera > Formats > Most Compatible.)`,
    )
  return join(brandDir, found)
}

/** Returns true if this is the sample hero-portrait.webp and the owner has replaced hero. */
function isLeftover(source: string, brandDir: string): boolean {
  const { portrait, hero } = sampleHashes
  const isSample = (file: string, start: string) =>
    createHash('sha256').update(readFileSync(file)).digest('hex').startsWith(start)
  return isSample(source, portrait) && !isSample(findSource(brandDir, ['hero']), hero)
}

const turnSideways = 'Turn the camera sideways and take the picture again.'

/** Returns notes about a picture. Throws an error if it cannot be used. */
async function inspect(file: string, name: string, [width, height]: Picture['shape']) {
  const path = `site/brand/${basename(file)}`
  // Decode a thumbnail to detect truncated files.
  const thumbnail = sharp(file).resize(16)
  const metadata = await Promise.all([thumbnail.metadata(), thumbnail.toBuffer()]).catch(() => {
    throw new UserError(
      `${path} is damaged or not a picture. Copy it from the camera again, or export it as a JPEG or PNG.`,
    )
  })
  const { autoOrient, space, icc } = metadata[0]
  const shown = `${path} (${autoOrient.width} × ${autoOrient.height})`
  const isUpright = width > height && autoOrient.height > autoOrient.width
  if (autoOrient.width < width || autoOrient.height < Math.min(height, 1080))
    throw new UserError(
      isUpright
        ? `${shown} is portrait, but ${name} is landscape and needs at least ${width} × ${height} pixels. ${turnSideways}`
        : `${shown} is too small for ${name}. Use the camera's original, with at least ${width} × ${height} pixels.`,
    )
  const notes: string[] = []
  if (isUpright)
    notes.push(
      `${shown} is portrait, but ${name} is landscape, so the site shows only its middle. ${turnSideways}`,
    )
  if (space !== 'srgb' || (icc && !icc.toString('latin1').replaceAll('\0', '').includes('sRGB')))
    notes.push(`${shown} is not in sRGB. Its colors are converted.`)
  return notes
}

/** Lists the names of all pictures in the folder without their endings, such as service-repairs. */
function listNames(brandDir: string): string[] {
  const pattern = new RegExp(`^(.+)\\.(${endings.join('|')})$`, 'i')
  const names = readdirSync(brandDir).map((file) => file.match(pattern)?.[1]?.toLowerCase())
  return [...new Set(names)].filter((name) => name !== undefined)
}

/** Returns notes about pictures with unknown names, such as service-repair. */
function explainUnused(brandDir: string, known: readonly string[]): string[] {
  return listNames(brandDir)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const [file = ''] = listSources(brandDir, name)
      const nearest = known.toSorted((a, b) => countEdits(name, a) - countEdits(name, b))[0] ?? ''
      return `The site does not use site/brand/${file}. Did you mean ${nearest}${extname(file)}? It uses pictures named ${known.join(', ')}.`
    })
}

type Shades = Record<ShadeName, number>

type Options = {
  brandDir: string
  targetDir: string
  effort: number
  /** The cards under services in site/content.ts. */
  cards?: readonly { picture?: string | undefined }[]
}

/**
 * Plans every picture file. Computes the shades behind text, and the color above the hero picture. EXIF and GPS data
 * are not copied.
 */
export async function planPictures(options: Options) {
  const { brandDir, targetDir, effort, cards = [] } = options
  const services = cards.flatMap(({ picture }) => picture ?? []).map((name) => `service-${name}`)
  const notes = explainUnused(brandDir, [...Object.keys(pictures), 'night', ...services])
  const jobs: Job[] = []
  const shades = Object.fromEntries(shadeNames.map((name) => [name, 0])) as Shades
  let heroTop = ''
  const inspected = new Set<string>()
  const all = { ...pictures }
  for (const name of listNames(brandDir)) {
    if (name === 'night') all[name] = night
    if (/^service-[a-z0-9-]+$/.test(name)) all[name] = service(name)
  }
  for (const [name, { sources, shape, sizes, keepTop, words = {} }] of Object.entries(all)) {
    let source = findSource(brandDir, sources)
    const files = listSources(brandDir, name)
    if (files.length > 1)
      notes.push(
        `site/brand/ has ${files.join(' and ')}. The site uses ${files[0]}. Delete the one that you don't want.`,
      )
    if (isLeftover(source, brandDir)) {
      source = findSource(brandDir, ['hero'])
      notes.push(
        `site/brand/hero-portrait.webp is the sample picture, so phones show the middle of ${basename(source)} instead. Delete hero-portrait.webp, or replace it with your own picture.`,
      )
    }
    if (!inspected.has(source)) notes.push(...(await inspect(source, name, shape)))
    inspected.add(source)
    const computeHeight = (width: number) => Math.round((width * shape[1]) / shape[0])
    const resize = (width: number) =>
      sharp(source)
        .autoOrient()
        .resize(width, computeHeight(width), { position: keepTop ? 'top' : 'centre' })
    for (const [shade, area] of Object.entries(words))
      shades[shade as ShadeName] = await computeShade(resize(measuredWidth), area)
    if (name === 'hero-portrait')
      heroTop = await computeTopColor(resize(measuredWidth), shades.tall)
    for (const { width, avif, webp } of sizes) {
      const add = (ending: string, encode: (picture: Sharp) => Sharp) => {
        const target = join(targetDir, `${name}-${width}.${ending}`)
        jobs.push({ target, make: () => encode(resize(width)).toFile(target) })
      }
      add('avif', (picture) => picture.avif({ quality: avif, effort }))
      if (webp)
        add('webp', (picture) => picture.webp({ quality: webp, effort: 6, smartSubsample: true }))
    }
  }
  const targets = new Set(jobs.map(({ target }) => basename(target)))
  const unused = readdirSync(targetDir).filter(
    (file) => /^(hero|service|night).*-\d+\.avif$/.test(file) && !targets.has(file),
  )
  return {
    jobs,
    shades,
    heroTop,
    notes: [...new Set(notes)],
    unused: unused.map((file) => join(targetDir, file)),
  }
}
