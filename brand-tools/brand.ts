import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { UserError } from '#leads/user-error.ts'
import { type BrandWords, computeBrandStamps, computeStamp } from '#site/brand/made.ts'
import { readBrand, readContent } from '#site/build/check-content.ts'
import { colorDrawing, type Logo, placeLogo } from '#site/build/drawing.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { makeFont } from './font.ts'
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

export type Job = {
  target: string
  /** The files and settings that determine the target. */
  inputs: string[]
  settings: string
  make: () => Promise<unknown>
}

type Options = {
  root: string
  brand: Brand
  content: BrandWords
  print: (line: string) => void
  /** AVIF effort, 0 to 9. Effort 3 is six times as fast as 4 and adds at most 2% to the size. */
  effort?: number
}

/** Creates the colors, pictures, icons, and share picture from site/brand/ if they have changed. */
export async function makeBrand({
  root,
  brand,
  content,
  print,
  effort = 3,
}: Options): Promise<number> {
  checkBrand(brand)
  const brandDir = join(root, 'site/brand')
  const {
    jobs: pictures,
    notes,
    unused,
  } = await planPictures({
    brandDir,
    targetDir: join(root, 'site/pictures'),
    effort,
    emergencyPicture: brand.emergencyPicture,
  })
  for (const note of notes) print(note)
  const logoFile = join(brandDir, 'logo.svg')
  if (!existsSync(logoFile))
    throw new UserError('site/brand/logo.svg is missing. Save your logo there as an SVG file.')
  const logo = readLogo(readFileSync(logoFile, 'utf8'))
  const palette = computePalette(brand)
  const drawings = computeDrawingColors(brand)
  const values = {
    roundness: roundness[brand.corners],
    palette,
    drawings,
    night: computeNight(brand),
    logo,
  }
  const jobs: Job[] = [
    planText(join(root, 'leads/brand.json'), `${JSON.stringify(values, null, 2)}\n`),
    planText(join(root, 'site/pictures/award.svg'), drawBadge(logo, { ...palette, ...drawings })),
    ...planIcons({
      root,
      brandDir,
      logo,
      palette,
      words: [content.company.name, ...content.head.shareLines],
    }),
    ...pictures,
  ]

  const stampFile = join(brandDir, 'made.json')
  const stamps: Record<string, string> = existsSync(stampFile)
    ? JSON.parse(readFileSync(stampFile, 'utf8'))
    : {}
  const due = jobs.filter(
    (job) => !existsSync(job.target) || stamps[relative(root, job.target)] !== computeJobStamp(job),
  )
  for (const file of unused) {
    rmSync(file)
    delete stamps[relative(root, file)]
    print(`Deleted ${relative(root, file)}.`)
  }
  const saveStamp = (path: string, stamp: string) => {
    stamps[path] = stamp
    writeFileSync(stampFile, `${JSON.stringify(stamps, null, 2)}\n`)
  }
  let done = 0
  const work = async () => {
    for (let job = due.shift(); job; job = due.shift()) {
      const startAt = Date.now()
      await job.make()
      const path = relative(root, job.target)
      saveStamp(path, computeJobStamp(job))
      done += 1
      print(`${path}  ${((Date.now() - startAt) / 1000).toFixed(1)} sec`)
    }
  }
  await Promise.all([work(), work()])
  for (const [path, stamp] of Object.entries(computeBrandStamps({ root, brand, content })))
    saveStamp(path, stamp)
  print(done === 0 ? 'Everything is up to date.' : `Created ${done} of ${jobs.length} files.`)
  return done
}

const planText = (target: string, text: string): Job => ({
  target,
  inputs: [],
  settings: text,
  make: async () => writeFileSync(target, text),
})

/** Puts the logo on the award badge. */
function drawBadge(logo: Logo, colors: Record<string, string> & { paper: string }): string {
  const badge = readFileSync(join(import.meta.dirname, 'badge.svg'), 'utf8')
  const mark = placeLogo(logo, { x: 78, y: 33, size: 44 }, colors.paper)
  return colorDrawing(badge.replace('<!-- logo -->', mark), colors)
}

const computeJobStamp = ({ inputs, settings }: Job) =>
  computeStamp(Buffer.concat([Buffer.from(settings), ...inputs.map((file) => readFileSync(file))]))

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const print = (line: string) => process.stdout.write(`${line}\n`)
  try {
    // `npm run brand -- font` is needed only when Archivo's package changes.
    if (process.argv[2] === 'font') await makeFont(join(root, 'site/fonts'))
    else
      await makeBrand({
        root,
        brand: await readBrand(),
        content: fillIn(await readContent()),
        print,
      })
  } catch (error) {
    const { message, stack } = error as Error
    process.stderr.write(`${error instanceof UserError ? message : stack}\n`)
    process.exit(1)
  }
}
