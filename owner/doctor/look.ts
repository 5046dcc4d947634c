import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BrandError } from '#site/build/brand-error.ts'
import { findOldBrand } from '#site/build/brand-stamp.ts'
import { readLogo } from '#site/build/logo.ts'
import { type Brand, checkBrand } from '#site/build/palette.ts'
import { type Finding, toDo } from './check.ts'

/** The brand, with the build's own sentence where it would end one. */
export function checkLook({
  root,
  brand,
  name,
}: {
  root: string
  brand: Brand
  name: string
}): Finding {
  const logo = join(root, 'site/brand/logo.svg')
  try {
    checkBrand(brand)
    if (existsSync(logo)) readLogo(readFileSync(logo, 'utf8'))
  } catch (error) {
    if (!(error instanceof BrandError)) throw error
    return toDo(error.message, 'Fix it, then: npm run brand')
  }
  const old = findOldBrand({ root, brand, name })
  return old === undefined ? undefined : toDo(old, 'npm run brand')
}
