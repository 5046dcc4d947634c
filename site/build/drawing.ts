import { type Brand, computePalette, toKebab } from './palette.ts'

/** A drawing in the brand's colors, as the address of a picture: the browser sets it on whole pixels. */
export function formatDataUrl(svg: string, brand: Brand): string {
  let drawing = svg.trim()
  for (const [name, hex] of Object.entries(computePalette(brand)))
    drawing = drawing.replaceAll(`var(--color-${toKebab(name)})`, hex)
  // Short, for it stands in the page: only what would end the address is escaped.
  return `data:image/svg+xml,${drawing.replaceAll('"', "'").replaceAll('#', '%23')}`
}
