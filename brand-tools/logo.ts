import { formatHex } from 'culori'
import { type CustomPlugin, optimize, type XastElement } from 'svgo'
import { UserError } from '#leads/user-error.ts'
import { type LogoDrawing, placeLogo } from '#site/build/drawing.ts'

const name = 'site/brand/logo.svg'
const shape = /^(g|path|rect|circle|ellipse|line|polyline|polygon)$/
const invisible =
  /^(style|script|metadata|title|desc|defs|clipPath|filter|pattern|\w+Gradient|.+:.+)$/
// Keep only these attributes. Others are specific to an editor or unsafe in a page.
const geometry = /^(d|points|transform|width|height|[xy][12]?|c[xy]|r[xy]?)$/
const paint =
  /^(fill|stroke|fill-rule|display|visibility|(fill-|stroke-)?opacity|stroke-(width|line(cap|join)|miterlimit|dash\w+))$/

const unpainted = /^(none|transparent)$/

/** Reduces a logo to shapes in one color, the color of the surrounding text. */
export function readLogo(svg: string): LogoDrawing {
  let viewBox = ''
  const paints = new Map<unknown, { fill: string; stroke: string }>()
  const colors = new Set<string>()
  const keepShapes: CustomPlugin = {
    name: 'keep-shapes',
    fn: () => ({
      element: {
        enter(node, parent) {
          const isRoot = parent.type === 'root'
          if (isRoot) {
            viewBox = (node.attributes.viewBox ?? '').replaceAll(',', ' ')
            // The page wraps the shapes in its own <svg>.
            node.name = 'g'
          }
          if (!shape.test(node.name) && !invisible.test(node.name))
            throw new UserError(
              `${name} contains <${node.name}>, but the site can recolor only shapes. In Inkscape, select all, then choose Path > Object to Path (for a photo, Path > Trace Bitmap).`,
            )
          const isDrawn = !invisible.test(node.name) && !isBackground(node, viewBox)
          if (!isDrawn) parent.children = parent.children.filter((child) => child !== node)
          const inherited = paints.get(parent) ?? { fill: 'black', stroke: 'none' }
          const { fill = inherited.fill, stroke = inherited.stroke } = node.attributes
          paints.set(node, { fill, stroke })
          if (isDrawn && node.name !== 'g')
            for (const color of node.name === 'line' ? [stroke] : [fill, stroke])
              if (!unpainted.test(color)) colors.add(formatHex(color) ?? color)
          for (const [attribute, value] of Object.entries(node.attributes)) {
            if (!paint.test(attribute) && (isRoot || !geometry.test(attribute)))
              delete node.attributes[attribute]
            else if (/^(fill|stroke)$/.test(attribute) && !unpainted.test(value))
              node.attributes[attribute] = 'currentColor'
          }
        },
      },
    }),
  }
  const shapes = runSvgo(svg, keepShapes).replace(/^<g>(.*)<\/g>$/s, '$1')
  const [, , width = 0, height = 0] = viewBox.split(/ +/).map(Number)
  if (!width || !height)
    throw new UserError(
      `${name} must be an SVG file with a viewBox. Export it again from your drawing program.`,
    )
  if (!/<(?!g)\w/.test(shapes))
    throw new UserError(`${name} contains only a background. Add the shapes of your logo.`)
  // In a single color, a shape on top of another one would disappear.
  if (colors.size > 1)
    throw new UserError(
      `${name} has ${colors.size} colors (${[...colors].join(' and ')}), but the site shows it in a single color. Give all shapes the same color. If a shape lies on top of another, cut it out: in Inkscape, select both, then choose Path > Difference.`,
    )
  return { viewBox, ratio: width / height, shapes }
}

function isBackground({ name, attributes }: XastElement, viewBox: string): boolean {
  const [, , width = 0, height = 0] = viewBox.split(/ +/).map(Number)
  const covers = (size = '', whole: number) => size === '100%' || Number.parseFloat(size) >= whole
  const coversAll = covers(attributes.width, width) && covers(attributes.height, height)
  return name === 'rect' && attributes.fill !== 'none' && coversAll
}

function runSvgo(svg: string, plugin: CustomPlugin): string {
  try {
    return optimize(svg, {
      plugins: [
        'removeDoctype',
        'removeXMLProcInst',
        'removeComments',
        { name: 'inlineStyles', params: { onlyMatchedOnce: false } },
        'convertStyleToAttrs',
        'cleanupAttrs',
        plugin,
      ],
    }).data
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(
      `Cannot read ${name} (${(error as Error).message}). Export the logo as SVG again. Renaming a PNG or JPEG is not enough.`,
    )
  }
}

type Tile = { tile: string; mark: string; rounded?: boolean; size?: number }

/** Draws the logo on a tile in the accent color, for browser tabs and home screens. */
export function formatIcon(
  logo: LogoDrawing,
  { tile, mark, rounded = true, size = 21.76 }: Tile,
): string {
  const start = Math.round(5 * (32 - size)) / 10
  const shapes = placeLogo(logo, { x: start, y: start, size }, mark)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32"><rect width="32" height="32"${rounded ? ' rx="7"' : ''} fill="${tile}"/>${shapes}</svg>`
}
