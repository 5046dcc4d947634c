import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { computeBrandStamps } from '#site/build/brand-stamp.ts'
import { type Brand, checkBrand, computePalette, roundness } from '#site/build/palette.ts'
import { planIcons } from './icons.ts'
import { planPictures } from './pictures.ts'

export type Job = {
  target: string
  /** Files that it is made of, and whatever else counts. */
  inputs: string[]
  settings: string
  make: () => Promise<unknown>
}

type Options = {
  root: string
  brand: Brand
  /** The company's. */
  name: string
  say: (line: string) => void
  /** Of AVIF, 0 to 9. 3 takes a sixth of the time of 4, for 2 % more bytes at most. */
  effort?: number
}

/** Cuts pictures, icons and the share picture from site/brand/, and colors mails: what has changed. */
export async function cutBrand({ root, brand, name, say, effort = 3 }: Options): Promise<number> {
  checkBrand(brand)
  const brandDir = join(root, 'site/brand')
  const { jobs: pictures, notes } = await planPictures(
    brandDir,
    join(root, 'site/pictures'),
    effort,
  )
  for (const note of notes) say(note)
  const jobs: Job[] = [
    ...planIcons({ root, brandDir, brand, name }),
    planLook(root, brand),
    ...pictures,
  ]

  const stampFile = join(brandDir, 'made.json')
  const stamps: Record<string, string> = existsSync(stampFile)
    ? JSON.parse(readFileSync(stampFile, 'utf8'))
    : {}
  const due = jobs.filter(
    (job) => !existsSync(job.target) || stamps[relative(root, job.target)] !== computeStamp(job),
  )
  const keep = (path: string, stamp: string) => {
    stamps[path] = stamp
    writeFileSync(stampFile, `${JSON.stringify(stamps, null, 2)}\n`)
  }
  let done = 0
  const work = async () => {
    for (let job = due.shift(); job; job = due.shift()) {
      const startAt = Date.now()
      await job.make()
      const path = relative(root, job.target)
      keep(path, computeStamp(job))
      done += 1
      say(`${path}  ${((Date.now() - startAt) / 1000).toFixed(1)} s`)
    }
  }
  await Promise.all([work(), work()])
  for (const [path, stamp] of Object.entries(computeBrandStamps({ root, brand, name })))
    keep(path, stamp)
  say(done === 0 ? 'Nothing has changed.' : `${done} of ${jobs.length} files made.`)
  return done
}

/** The colors in leads/look.ts, which the Supabase function wears: it knows nothing of the site. */
function planLook(root: string, brand: Brand): Job {
  const target = join(root, 'leads/look.ts')
  const look: Record<string, string | number> = {
    ...computePalette(brand),
    roundness: roundness[brand.corners],
  }
  const make = async () => {
    const text = readFileSync(target, 'utf8')
    const colored = text.replace(/^( {2})(\w+): .*,$/gm, (line, indent, key) => {
      const value = look[key]
      if (value === undefined) return line
      return `${indent}${key}: ${typeof value === 'string' ? `'${value}'` : value},`
    })
    writeFileSync(target, colored)
  }
  return { target, inputs: [target], settings: JSON.stringify(look), make }
}

function computeStamp({ inputs, settings }: Job): string {
  const hash = createHash('sha256').update(settings)
  for (const file of inputs) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
