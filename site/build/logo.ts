import { BrandError } from './brand-error.ts'

const name = 'site/brand/logo.svg'
// What a drawing is told by; all else is a tool's own, or nothing that a page allows.
const shape = /^(g|path|rect|circle|ellipse|line|polyline|polygon)$/
const geometry = /^(d|points|transform|width|height|[xy][12]?|c[xy]|r[xy]?)$/
const paint =
  /^(fill|stroke|fill-rule|display|visibility|(fill-|stroke-)?opacity|stroke-(width|line(cap|join)|miterlimit|dash\w+))$/
const unseen =
  /<(style|script|metadata|title|desc|defs|clipPath|filter|pattern|\w+Gradient|\w+:[\w-]+)\b([^>]*\/>|.*?<\/\1>)/g
const tag = /<(\/?)([\w:-]+)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>/g

type Attributes = Record<string, string>

const readAttributes = (text: string): Attributes =>
  Object.fromEntries(
    [...text.matchAll(/([\w:-]+) ?= ?(["'])(.*?)\2/g)].map(([, key, , value]) => [key, value]),
  )

const readStyle = (text = ''): Attributes =>
  Object.fromEntries(text.split(';').map((part) => part.split(':').map((word) => word.trim())))

/** Attributes, classes and style as attributes, in one color. */
function formatAttributes(all: Attributes, sheet: string, isKept: (key: string) => boolean) {
  const classes = (all.class ?? '').split(' ').map((word) => `.${word}`)
  const rules = [...sheet.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', style]) =>
    selectors.split(',').some((selector) => classes.includes(selector.trim()))
      ? [readStyle(style)]
      : [],
  )
  return Object.entries<string>(Object.assign({}, all, ...rules, readStyle(all.style)))
    .filter(([key]) => isKept(key))
    .map(([key, value]) => {
      const isColor = /^(fill|stroke)$/.test(key) && !/^(none|transparent)$/.test(value)
      return ` ${key}="${isColor ? 'currentColor' : value}"`
    })
    .join('')
}

/** A logo in one color: whatever it was drawn in, it takes the color of the text around it. */
export function readLogo(svg: string) {
  const text = svg.replace(/<!--.*?-->|<!\[CDATA\[|\]\]>/gs, '').replace(/\s+/g, ' ')
  const [, root = '', drawn = ''] = text.match(/<svg\b([^>]*)>(.*)<\/svg>/) ?? []
  const { viewBox = '', ...rootAttributes } = readAttributes(root)
  const [left = 0, top = 0, width = 0, height = 0] = viewBox.split(/[ ,]+/).map(Number)
  if (!width || !height) throw new BrandError(`${name} must be an SVG drawing with a viewBox.`)
  const sheet = [...drawn.matchAll(/<style[^>]*>(.*?)<\/style>/g)].map(([, css]) => css).join(' ')
  const isBackground = (attributes: string) => {
    const { width: w = '', height: h = '', fill } = readAttributes(attributes)
    const covers = (size: string, whole: number) =>
      size === '100%' || Number.parseFloat(size) >= whole
    return fill !== 'none' && covers(w, width) && covers(h, height)
  }

  let shapes = ''
  const tags = drawn.replace(unseen, '').matchAll(tag)
  for (const [, close = '', element = '', all = '', end] of tags) {
    if (!shape.test(element))
      throw new BrandError(
        `${name} has <${element}>, and only shapes can take another color. In Inkscape: select all, then Path > Object to Path (for a photo, Path > Trace Bitmap).`,
      )
    const attributes = formatAttributes(
      readAttributes(all),
      sheet,
      (key) => geometry.test(key) || paint.test(key),
    )
    if (element === 'g') shapes += `<${close}g${attributes}${end}>`
    else if (!close && !(element === 'rect' && isBackground(attributes)))
      shapes += `<${element}${attributes}/>`
  }
  if (!/<(?!g)\w/.test(shapes))
    throw new BrandError(`${name} has no shape beside a background: draw the mark itself.`)
  const around = formatAttributes(rootAttributes, sheet, (key) => paint.test(key))
  if (around) shapes = `<g${around}>${shapes}</g>`

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
