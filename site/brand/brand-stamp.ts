import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from '../schema/brand-schema.ts'

/** The wording that `npm run brand` draws into pictures. */
export type BrandWords = {
  company: { name: string }
  head: { shareLines: readonly string[] }
}
type Sources = { root: string; brand: Brand; content: BrandWords }

/** Hashes the brand's wording, colors, corners, logo, and pictures. Returns undefined without the original pictures. */
export function computeBrandStamp({ root, brand, content }: Sources): string | undefined {
  const folder = join(root, 'site/brand')
  const files = globSync('*', { cwd: folder }).filter((file) =>
    /\.(svg|jpe?g|png|webp)$/i.test(file),
  )
  if (!files.some((file) => /^hero\./i.test(file))) return
  const { colors, corners } = brand
  const words = [content.company.name, content.head.shareLines]
  const hash = createHash('sha256')
  hash.update(JSON.stringify([words, colors, corners]))
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Returns a warning if the brand has changed since the last `npm run brand`. */
export function findOldBrand(sources: Sources): string | undefined {
  const stamp = computeBrandStamp(sources)
  if (!stamp) return
  const built = JSON.parse(readFileSync(join(sources.root, 'leads/brand.json'), 'utf8'))
  if (stamp !== built.stamp)
    return 'The brand has changed (its name, colors, corners, logo, pictures, or the text for shared links), but the site and its emails still show the old one.'
}
