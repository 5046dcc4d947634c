import { globSync } from 'node:fs'
import { join } from 'node:path'

export const siteDir = join(import.meta.dirname, '..')

/** Lists the files that the pages link to, such as pictures/hero-1024.avif. */
export const listFiles = (): string[] =>
  globSync(['pictures/**/*.{avif,webp}', 'pictures/avatars/*.svg', 'fonts/*.woff2'], {
    cwd: siteDir,
  })
