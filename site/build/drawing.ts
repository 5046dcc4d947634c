export type LogoDrawing = { viewBox: string; ratio: number; shapes: string }

/** Centers the logo in a square within another drawing. */
export function placeLogo(
  { viewBox, shapes }: LogoDrawing,
  square: { x: number; y: number; size: number },
  color: string,
): string {
  const [left = 0, top = 0, width = 0, height = 0] = viewBox.split(' ').map(Number)
  const scale = square.size / Math.max(width, height)
  const x = square.x + (square.size - width * scale) / 2 - left * scale
  const y = square.y + (square.size - height * scale) / 2 - top * scale
  return `<g transform="translate(${x} ${y}) scale(${scale})" fill="${color}" color="${color}">${shapes}</g>`
}

export const toKebab = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Replaces the color variables with the brand's colors. */
export function colorDrawing(svg: string, palette: Record<string, string>): string {
  let drawing = svg.trim()
  for (const [name, hex] of Object.entries(palette))
    drawing = drawing.replaceAll(`var(--color-${toKebab(name)})`, hex)
  return drawing
}

/** Formats the drawing as an image instead of inline SVG, because browsers align images to whole pixels. */
export function formatDataUrl(drawing: string): string {
  // Escape only the characters that would end the URL, to keep the page small.
  return `data:image/svg+xml,${drawing.replaceAll('"', "'").replaceAll('#', '%23')}`
}
