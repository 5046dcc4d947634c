import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { UserError } from '#leads/user-error.ts'
import { computeStamp } from '#site/brand/made.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import type { Job } from './brand.ts'

type Size = { width: number; avif: number; webp?: number }
type Picture = {
  sources: string[]
  shape: [width: number, height: number]
  sizes: Size[]
  /** Darkens the picture and tints it blue. */
  atNight?: true
}

// Each width has its own quality, because artifacts are harder to see on high-density screens. All
// pictures are grainy or covered by a gradient. The samples in site/brand/ were rendered for this site.
const pictures: Record<string, Picture> = {
  hero: {
    sources: ['hero'],
    shape: [1920, 1080],
    sizes: [
      { width: 1024, avif: 44, webp: 58 },
      { width: 1440, avif: 45 },
      { width: 1920, avif: 44 },
    ],
  },
  // One size for all phones, which fits into the ten packets of the first round trip. A picture of 760 px
  // and 28 kB looked no better under the gradient.
  'hero-portrait': {
    sources: ['hero-portrait', 'hero'],
    shape: [640, 853],
    sizes: [{ width: 640, avif: 28 }],
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

/** Behind the emergency call, from the owner's night picture or from hero. */
const night: Picture = {
  sources: ['night', 'hero'],
  shape: [1440, 480],
  sizes: [{ width: 1440, avif: 28 }],
  atNight: true,
}

// Even a white pixel becomes so dark that light text on it has a contrast of 6:1.
const nightTone = { saturation: 0.3, rgb: [0.26, 0.36, 0.45] }

/** For a card under "Our Services". */
const service = (name: string): Picture => ({
  sources: [name],
  shape: [800, 533],
  sizes: [
    { width: 480, avif: 44 },
    { width: 800, avif: 34 },
  ],
})

/** Hashes of the sample's hero-portrait.webp and hero.webp, as in made.json. */
const sampleStamps = { portrait: '713408f171ebbd50', hero: '64eff1b00d6d86d1' }

// Try .webp last, because the sample's pictures may still exist.
const endings = ['jpg', 'jpeg', 'png', 'heic', 'heif', 'webp']

/** Lists a picture's files. The first is used. */
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

/** Returns true for the sample's hero-portrait.webp if hero has been replaced. */
function isLeftover(source: string, brandDir: string): boolean {
  const { portrait, hero } = sampleStamps
  const isSample = (file: string, stamp: string) => computeStamp(readFileSync(file)) === stamp
  return isSample(source, portrait) && !isSample(findSource(brandDir, ['hero']), hero)
}

const turnSideways = 'Turn the camera sideways and take the picture again.'

/** Returns notes about a picture. Throws if it cannot be used. */
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

/** Lists the names of the service pictures, such as service-repairs. */
function listServices(brandDir: string): string[] {
  const pattern = new RegExp(`^(service-[a-z0-9-]+)\\.(${endings.join('|')})$`, 'i')
  const names = readdirSync(brandDir).map((file) => file.match(pattern)?.[1]?.toLowerCase())
  return [...new Set(names)].filter((name) => name !== undefined)
}

type Options = {
  brandDir: string
  targetDir: string
  effort: number
  emergencyPicture?: Brand['emergencyPicture']
}

/** Plans every picture file. EXIF and GPS data are not copied. */
export async function planPictures({ brandDir, targetDir, effort, emergencyPicture }: Options) {
  const notes: string[] = []
  const jobs: Job[] = []
  const inspected = new Set<string>()
  const all: Record<string, Picture> = {
    ...pictures,
    ...(emergencyPicture !== 'none' && { night }),
    ...Object.fromEntries(listServices(brandDir).map((name) => [name, service(name)])),
  }
  for (const [name, { sources, shape, sizes, atNight }] of Object.entries(all)) {
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
    for (const { width, avif, webp } of sizes) {
      const height = Math.round((width * shape[1]) / shape[0])
      const open = () => {
        const picture = sharp(source).autoOrient().resize(width, height, { fit: 'cover' })
        return atNight ? darken(picture) : picture
      }
      const target = join(targetDir, `${name}-${width}`)
      const made = {
        inputs: [source],
        settings: `${width}×${height} ${avif} ${webp}${atNight ? JSON.stringify(nightTone) : ''}`,
      }
      jobs.push({
        ...made,
        target: `${target}.avif`,
        make: () => open().avif({ quality: avif, effort }).toFile(`${target}.avif`),
      })
      if (webp)
        jobs.push({
          ...made,
          target: `${target}.webp`,
          make: () =>
            open()
              .webp({ quality: webp, effort: 6, smartSubsample: true })
              .toFile(`${target}.webp`),
        })
    }
  }
  const targets = new Set(jobs.map(({ target }) => basename(target)))
  const unused = readdirSync(targetDir).filter(
    (file) => /^(service-.+|night)-\d+\.avif$/.test(file) && !targets.has(file),
  )
  return { jobs, notes: [...new Set(notes)], unused: unused.map((file) => join(targetDir, file)) }
}

const darken = (picture: Sharp) =>
  picture.modulate({ saturation: nightTone.saturation }).linear(nightTone.rgb, [0, 0, 0])
