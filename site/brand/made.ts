import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from '../schema/brand-schema.ts'

/** The content that appears in pictures. */
export type BrandWords = {
  company: { name: string }
  head: { shareLines: readonly string[] }
}
type Sources = { root: string; brand: Brand; content: BrandWords }

export const computeStamp = (content: string | Buffer) =>
  createHash('sha256').update(content).digest('hex').slice(0, 16)

/** Hashes everything that `npm run brand` reads. */
export function computeBrandStamps({ root, brand, content }: Sources): Record<string, string> {
  const { colors, corners, emergencyPicture } = brand
  const files = readdirSync(join(root, 'site/brand')).filter((file) =>
    /\.(svg|jpe?g|png|webp)$/i.test(file),
  )
  return {
    'site/brand': computeStamp(
      JSON.stringify([
        ...[content.company.name, content.head.shareLines],
        ...[colors, corners, emergencyPicture],
      ]),
    ),
    ...Object.fromEntries(
      files.map((file) => {
        const path = `site/brand/${file}`
        return [path, computeStamp(readFileSync(join(root, path)))]
      }),
    ),
  }
}

/**
 * Returns a warning if the brand has changed since the last `npm run brand`. Missing originals do not
 * count, because they may be outside the repository. A container has no made.json to compare with.
 */
export function findOldBrand(sources: Sources): string | undefined {
  const stampFile = join(sources.root, 'site/brand/made.json')
  if (!existsSync(stampFile)) return
  const made: Record<string, string> = JSON.parse(readFileSync(stampFile, 'utf8'))
  const now = Object.entries(computeBrandStamps(sources))
  if (now.some(([path, stamp]) => made[path] !== stamp))
    return 'The brand has changed (its name, colors, corners, logo, pictures, or the text for shared links), but the site and its emails still show the old one.'
}
