import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { UserError } from '#leads/user-error.ts'
import { type BrandWords, computeBrandStamp } from '#site/brand/brand-stamp.ts'
import { readBrand, readContent } from '#site/build/check-content.ts'
import { colorDrawing, type LogoDrawing, placeLogo } from '#site/build/drawing.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import type { Content } from '#site/schema/content-schema.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { planIcons } from './icons.ts'
import { readLogo } from './logo.ts'
import {
  checkBrand,
  computeDrawingColors,
  computeNight,
  computePalette,
  roundness,
} from './palette.ts'
import { planPictures } from './pictures.ts'

type Options = {
  root: string
  brand: Brand
  content: BrandWords & { services?: Pick<Content['services'], 'cards'> }
  print: (line: string) => void
  /** The AVIF effort, from 0 to 9. An effort of 3 is six times as fast as 4 and makes files at most 2% larger. */
  effort?: number
}

/** Creates the colors, the pictures, the icons, and the picture for shared links from site/brand/. */
export async function makeBrand({ root, brand, content, print, effort = 3 }: Options) {
  checkBrand(brand)
  const brandDir = join(root, 'site/brand')
  const pictures = await planPictures({
    brandDir,
    targetDir: join(root, 'site/pictures'),
    effort,
    cards: content.services?.cards ?? [],
  })
  const { shades, heroTop, notes, unused } = pictures
  for (const note of notes) print(note)
  const logoFile = join(brandDir, 'logo.svg')
  if (!existsSync(logoFile))
    throw new UserError('site/brand/logo.svg is missing. Save your logo there as an SVG file.')
  const logo = readLogo(readFileSync(logoFile, 'utf8'))
  const palette = computePalette(brand)
  const drawings = computeDrawingColors(brand)
  const words = [content.company.name, ...content.head.shareLines]
  const jobs = [...planIcons({ root, brandDir, logo, palette, words }), ...pictures.jobs]
  for (const file of unused) {
    rmSync(file)
    print(`Deleted ${relative(root, file)}.`)
  }
  await Promise.all(
    jobs.map(async ({ target, make }) => {
      await make()
      print(relative(root, target))
    }),
  )
  const badge = drawBadge(logo, { ...palette, ...drawings })
  writeFileSync(join(root, 'site/pictures/award.svg'), badge)
  // Write this file last, because its stamp means that all the other files have been created.
  const values = {
    roundness: roundness[brand.corners],
    palette,
    drawings,
    night: computeNight(brand),
    shades,
    heroTop,
    logo,
    stamp: computeBrandStamp({ root, brand, content }),
  }
  writeFileSync(join(root, 'leads/brand.json'), `${JSON.stringify(values, null, 2)}\n`)
}

/** Puts the logo on the award badge. */
function drawBadge(logo: LogoDrawing, colors: Record<string, string> & { paper: string }): string {
  const badge = readFileSync(join(import.meta.dirname, 'badge.svg'), 'utf8')
  const mark = placeLogo(logo, { x: 78, y: 33, size: 44 }, colors.paper)
  return colorDrawing(badge.replace('<!-- logo -->', mark), colors)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const print = (line: string) => process.stdout.write(`${line}\n`)
  try {
    await makeBrand({ root, brand: await readBrand(), content: fillIn(await readContent()), print })
  } catch (error) {
    const { message, stack } = error as Error
    process.stderr.write(`${error instanceof UserError ? message : stack}\n`)
    process.exit(1)
  }
}
