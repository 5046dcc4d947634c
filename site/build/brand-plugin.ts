import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Plugin, runnerImport } from 'vite'
import { findOldBrand } from './brand-stamp.ts'
import { formatDataUrl } from './drawing.ts'
import { readLogo } from './logo.ts'
import { type Brand, checkBrand, formatTokens } from './palette.ts'

const siteDir = join(import.meta.dirname, '..')

/** Gives a page's style sheet the brand's colors, corners and font. A brand that cannot be read ends the build. */
export function applyBrand(brand: Brand, { withNight = false } = {}): Plugin {
  checkBrand(brand)
  return {
    name: 'apply-brand',
    enforce: 'pre',
    transform(code, id) {
      const [file = ''] = id.split('?')
      if (!/\/(landing-page|not-found-page|desk)\.css$/.test(file)) return
      const seen = relative(join(file, '..'), join(siteDir, 'brand')).replaceAll('\\', '/')
      const brandDir = seen.startsWith('.') ? seen : `./${seen}`
      const badge = file.endsWith('landing-page.css')
        ? `:root { --badge: ${drawBadge(brand)}; }`
        : ''
      return `${code}\n${formatTokens(brand, { brandDir, withNight })}\n${badge}`
    },
  }
}

/** Not imported at the top: Vite starts again whenever a file changes that its settings import. */
export async function readCompany() {
  const words = join(siteDir, 'content.ts')
  return (await runnerImport<typeof import('../content.ts')>(words)).module.company
}

/** A build goes on with what was cut for an earlier brand, and says so. */
export function warnOfOldBrand(brand: Brand): Plugin {
  return {
    name: 'warn-of-old-brand',
    apply: 'build',
    async configResolved({ logger }) {
      const { name } = await readCompany()
      const old = findOldBrand({ root: join(siteDir, '..'), brand, name })
      if (old) logger.warn(`${old} Run: npm run brand`)
    },
  }
}

function drawBadge(brand: Brand): string {
  const read = (name: string) => readFileSync(join(siteDir, name), 'utf8')
  const mark = readLogo(read('brand/logo.svg')).place(78, 33, 44, brand.colors.paper)
  const drawing = read('pictures/badge.svg').replace('<!-- logo -->', mark)
  return `url("${formatDataUrl(drawing, brand)}")`
}
