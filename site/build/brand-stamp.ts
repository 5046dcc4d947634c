import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brand } from './palette.ts'

type Sources = { root: string; brand: Brand; name: string }

const hash = (content: string | Buffer) =>
  createHash('sha256').update(content).digest('hex').slice(0, 16)

/** Of everything that `npm run brand` makes files of: name and brand, and each drawing and picture. */
export function computeBrandStamps({ root, brand, name }: Sources): Record<string, string> {
  const { colors, corners } = brand
  const files = readdirSync(join(root, 'site/brand')).filter((file) =>
    /\.(svg|jpe?g|png|webp)$/i.test(file),
  )
  return {
    'site/brand': hash([name, colors.ink, colors.paper, colors.accent, corners].join()),
    ...Object.fromEntries(
      files.map((file) => {
        const path = `site/brand/${file}`
        return [path, hash(readFileSync(join(root, path)))]
      }),
    ),
  }
}

/**
 * What to say when icons, pictures and mails are an earlier brand's. An original that is not here is not
 * missed: it may be kept out of the repository. In a container there is nothing to compare.
 */
export function findOldBrand(sources: Sources): string | undefined {
  const stampFile = join(sources.root, 'site/brand/made.json')
  if (!existsSync(stampFile)) return
  const made: Record<string, string> = JSON.parse(readFileSync(stampFile, 'utf8'))
  const now = Object.entries(computeBrandStamps(sources))
  if (now.some(([path, stamp]) => made[path] !== stamp))
    return 'The name, a color, the corners, the logo or a picture has changed, and icons, pictures, mails and the picture of shared links are still made of the old one.'
}
