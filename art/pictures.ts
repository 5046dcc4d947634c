import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { UserError } from '#leads/user-error.ts'

type Cut = { width: number; avif: number; webp?: number }
type Picture = { sources: string[]; shape: [width: number, height: number]; cuts: Cut[] }

// Qualities are per width: a picture shown at two or three device pixels per CSS pixel hides more
// than one shown at one. All three pictures stand under a gradient or are grainy by nature.
const pictures: Record<string, Picture> = {
  hero: {
    sources: ['hero'],
    shape: [1920, 1080],
    cuts: [
      { width: 1024, avif: 44, webp: 58 },
      { width: 1440, avif: 45 },
      { width: 1920, avif: 44 },
    ],
  },
  // One for all phones. With its headers it fits into ten packets, what a server may send before it
  // hears back; under the shade it is as good as 28 kB at 760.
  'hero-portrait': {
    sources: ['hero-portrait', 'hero'],
    shape: [640, 853],
    cuts: [{ width: 640, avif: 28 }],
  },
  about: {
    sources: ['about'],
    shape: [1200, 894],
    cuts: [
      { width: 480, avif: 46 },
      { width: 800, avif: 46, webp: 48 },
      { width: 1200, avif: 44 },
    ],
  },
}

export function findSource(brandDir: string, names: string[]): string {
  const files = readdirSync(brandDir)
  // The sample's are .webp, and last: they may lie there still.
  const wanted = names.flatMap((name) =>
    ['jpg', 'jpeg', 'png', 'heic', 'heif', 'webp'].map((ending) => `${name}.${ending}`),
  )
  const found = wanted
    .map((name) => files.find((file) => file.toLowerCase() === name))
    .find((file) => file !== undefined)
  if (!found) throw new UserError(`site/brand/ has no ${names.at(-1)}.jpg (nor .png, nor .webp).`)
  if (/\.hei[cf]$/i.test(found))
    throw new UserError(
      `site/brand/${found} cannot be read: export it as a JPEG. (An iPhone takes JPEGs with Settings > Camera > Formats > Most Compatible.)`,
    )
  return join(brandDir, found)
}

/** What a person should know about a picture before it is cut. Throws when it cannot be used. */
async function inspect(file: string, name: string, [width, height]: Picture['shape']) {
  const { autoOrient, space, icc } = await sharp(file).metadata()
  const shown = `site/brand/${file.split('/').at(-1)} (${autoOrient.width} × ${autoOrient.height})`
  if (autoOrient.width < width || autoOrient.height < Math.min(height, 1080))
    throw new UserError(
      `${shown} is too small for ${name}: it needs ${width} × ${height} pixels or more. Take it as the camera made it.`,
    )
  const notes: string[] = []
  if (width > height && autoOrient.height > autoOrient.width)
    notes.push(`${shown} is upright, and ${name} is shown wide: its middle is used.`)
  if (space !== 'srgb' || (icc && !icc.toString('latin1').replaceAll('\0', '').includes('sRGB')))
    notes.push(`${shown} is not in sRGB: its colors are converted.`)
  return notes
}

/** Every file to be cut, with what it is cut from. Neither EXIF nor GPS data is ever copied. */
export async function planPictures(brandDir: string, targetDir: string, effort: number) {
  const notes: string[] = []
  const jobs = []
  for (const [name, { sources, shape, cuts }] of Object.entries(pictures)) {
    const source = findSource(brandDir, sources)
    notes.push(...(await inspect(source, name, shape)))
    for (const { width, avif, webp } of cuts) {
      const height = Math.round((width * shape[1]) / shape[0])
      const open = () => sharp(source).autoOrient().resize(width, height, { fit: 'cover' })
      const target = join(targetDir, `${name}-${width}`)
      const made = { inputs: [source], settings: `${width}×${height} ${avif} ${webp}` }
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
  return { jobs, notes: [...new Set(notes)] }
}
