import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from './palette.ts'

type Sources = { root: string; colors: Brand['colors']; name: string }

/** Of everything that `npm run brand` makes files of. */
export function computeBrandStamp({ root, colors, name }: Sources): string {
  const folder = join(root, 'site/brand')
  const hash = createHash('sha256').update([name, colors.ink, colors.paper, colors.accent].join())
  for (const file of readdirSync(folder).sort())
    if (/\.(svg|jpe?g|png|webp)$/i.test(file)) hash.update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 16)
}

/** What to say when icons and pictures are an earlier brand's. In a container there is nothing to compare. */
export function findOldBrand(sources: Sources): string | undefined {
  const stampFile = join(sources.root, 'site/brand/made.json')
  if (!existsSync(stampFile)) return
  const { 'site/brand': stamp } = JSON.parse(readFileSync(stampFile, 'utf8'))
  if (stamp !== computeBrandStamp(sources))
    return 'The name, a color, the logo or a picture has changed, and icons, pictures and the picture of shared links are still made of the old one.'
}
