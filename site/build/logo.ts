/** A logo in one color: whatever it was drawn in, it takes the color of the text around it. */
export function readLogo(svg: string) {
  const [, root = '', drawn = ''] = svg.match(/<svg([^>]*)>(.*)<\/svg>/s) ?? []
  const viewBox = root.match(/viewBox="([^"]+)"/)?.[1] ?? ''
  const [left = 0, top = 0, width = 0, height = 0] = viewBox.split(/[\s,]+/).map(Number)
  if (!width || !height)
    throw new Error('site/brand/logo.svg must be an SVG drawing with a viewBox.')
  const shapes = drawn
    .replace(/<!--.*?-->|<(style|script|metadata|title)\b.*?<\/\1>/gs, '')
    .replace(/ (class|style|on\w+)="[^"]*"/g, '')
    .replace(/(fill|stroke)="(?!none")[^"]*"/g, '$1="currentColor"')
    .trim()

  /** In the middle of a square of another drawing. */
  const place = (x: number, y: number, size: number, color: string) => {
    const scale = size / Math.max(width, height)
    const [right, down] = [
      x + (size - width * scale) / 2 - left * scale,
      y + (size - height * scale) / 2 - top * scale,
    ]
    return `<g transform="translate(${right} ${down}) scale(${scale})" fill="${color}" color="${color}">${shapes}</g>`
  }
  return { viewBox, shapes, ratio: width / height, place }
}

type Tile = { tile: string; mark: string; rounded?: boolean; size?: number }

/** The logo on a tile of the accent, for browser tabs and home screens. */
export const formatIcon = (svg: string, { tile, mark, rounded = true, size = 21.76 }: Tile) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32"><rect width="32" height="32"${rounded ? ' rx="7"' : ''} fill="${tile}"/>${readLogo(svg).place(Math.round(5 * (32 - size)) / 10, Math.round(5 * (32 - size)) / 10, size, mark)}</svg>`
