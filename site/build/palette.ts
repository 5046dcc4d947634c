import { BrandError } from './brand-error.ts'
import { computeContrast, isHex, mix, toHex, toLch } from './color.ts'

export type BaseColor = 'ink' | 'paper' | 'accent'

export type Brand = {
  colors: Record<BaseColor, string>
  corners: 'square' | 'soft' | 'round'
  /** A .woff2 in site/brand/. Without one headings are set in Archivo. */
  headingFont?: { family: string; file: string }
}

type Rule = readonly [
  from: BaseColor,
  how: 'by' | 'at',
  lightness: number,
  chroma: number,
  hue: number,
]

// Lightness is added (by) or given (at), chroma is multiplied, hue is turned. Tuned by eye on the sample.
const day = {
  slate: ['ink', 'by', 0.18, 2.1, -12],
  fieldBorder: ['ink', 'at', 0.667, 1.19, -15],
  placeholder: ['ink', 'at', 0.556, 1.62, -13],
  shade: ['ink', 'by', -0.042, 0.94, 3],
  shingle: ['ink', 'by', 0.243, 2.4, -11],
  shingleLight: ['ink', 'by', 0.3, 2.2, -20],
  ribbon: ['ink', 'by', 0.127, 1.99, -7],
  sand: ['paper', 'by', -0.046, 2.05, -2],
  siding: ['paper', 'by', -0.115, 2.99, -3],
  eaves: ['paper', 'by', -0.178, 3.62, 0],
  trim: ['paper', 'by', -0.128, 3.11, -2],
  accentDeep: ['accent', 'by', -0.089, 0.86, 0],
  brick: ['accent', 'by', -0.01, 0.74, -1.5],
  brickDeep: ['accent', 'by', -0.072, 0.67, -2],
} as const satisfies Record<string, Rule>

/** The desk by night. */
const night = {
  white: ['ink', 'at', 0.257, 1.25, 2],
  ink: ['paper', 'at', 0.95, 1.3, 0],
  slate: ['ink', 'at', 0.798, 1.14, -15],
  paper: ['ink', 'at', 0.208, 0.94, 3],
  sand: ['ink', 'at', 0.372, 1.86, 4],
  fieldBorder: ['ink', 'at', 0.625, 1.53, -8],
  accent: ['accent', 'at', 0.752, 0.9, 6.5],
  accentDeep: ['accent', 'at', 0.831, 0.72, 6.3],
} as const satisfies Record<string, Rule>

/** What means the same in every brand. */
const fixed = {
  white: '#ffffff',
  alarm: '#a31621',
  leaf: '#23613a',
  wood: '#d39b68',
  sun: '#f3dcae',
}

const needed = 4.5

function derive(colors: Brand['colors'], [from, how, lightness, chroma, hue]: Rule): string {
  const { l, c, h } = toLch(colors[from])
  // Of a gray ink slate is livelier; of a purple one it would glow.
  const calm = Math.min(c * chroma, Math.max(c, 0.045))
  return toHex({ l: how === 'by' ? l + lightness : lightness, c: calm, h: h + hue })
}

const deriveAll = <Name extends string>(colors: Brand['colors'], rules: Record<Name, Rule>) =>
  Object.fromEntries(
    Object.entries<Rule>(rules).map(([name, rule]) => [name, derive(colors, rule)]),
  ) as Record<Name, string>

/** The nearest darker (or lighter) color of the same hue that does. */
function shiftUntil(hex: string, step: number, does: (hex: string) => boolean): string | undefined {
  const { l, c, h } = toLch(hex)
  for (let at = l; at >= 0 && at <= 1; at += step) {
    const shifted = at === l ? hex : toHex({ l: at, c, h })
    if (does(shifted)) return shifted
  }
  return undefined
}

/** Every color of the site, from the three of the brand. */
export function computePalette({ colors }: Pick<Brand, 'colors'>) {
  const { ink, paper, accent } = colors
  const { white } = fixed
  const derived = deriveAll(colors, day)
  const isReadable = (text: string) => (under: string) => computeContrast(text, under) >= needed
  // White stands on a dark accent and ink on a light one, which turns lighter under the pointer.
  // Where neither can be read, what is said is about white: a darker accent would do.
  const onAccent = isReadable(ink)(accent) && !isReadable(white)(accent) ? ink : white
  if (onAccent === ink) derived.accentDeep = derive(colors, ['accent', 'by', 0.05, 0.86, 0])
  // As text, a light accent is too pale.
  const link = shiftUntil(accent, -0.005, (hex) => [white, paper].every(isReadable(hex))) ?? ink
  return { ...fixed, ink, paper, accent, ...derived, onAccent, link }
}

export type Palette = ReturnType<typeof computePalette>

export function computeNight({ colors }: Pick<Brand, 'colors'>) {
  const dark = deriveAll(colors, night)
  return { ...dark, alarm: '#ff958c', leaf: '#7fd19b', onAccent: dark.white, link: dark.accent }
}

type Pair = [
  base: BaseColor,
  words: string,
  text: (all: Palette) => string,
  under: (all: Palette) => string,
]

const pairs: Pair[] = [
  ['ink', 'ink on paper', (all) => all.ink, (all) => all.paper],
  ['ink', 'ink on white', (all) => all.ink, () => '#ffffff'],
  ['ink', 'slate (made of ink) on paper', (all) => all.slate, (all) => all.paper],
  ['ink', 'slate (made of ink) on sand (made of paper)', (all) => all.slate, (all) => all.sand],
  [
    'ink',
    'paper, as pale as in the footer, on ink',
    (all) => mix(all.paper, all.ink, 0.7),
    (all) => all.ink,
  ],
  ['accent', 'white on accent (a button)', (all) => all.onAccent, (all) => all.accent],
  [
    'accent',
    'the words on accent under the pointer (a button)',
    (all) => all.onAccent,
    (all) => all.accentDeep,
  ],
]

/** Throws a sentence that names the pair that cannot be read, and a color that would do. */
export function checkBrand(brand: Brand): void {
  for (const [name, hex] of Object.entries(brand.colors))
    if (!isHex(hex))
      throw new BrandError(
        `site/brand/brand.ts: ${name} is '${hex}', and must look like '#1b2326'.`,
      )
  for (const [base, words, text, under] of pairs) {
    const measure = (colors: Brand['colors']) => {
      const all = computePalette({ colors })
      return computeContrast(text(all), under(all))
    }
    const contrast = measure(brand.colors)
    if (contrast >= needed) continue
    const wouldDo = (step: number) =>
      shiftUntil(
        brand.colors[base],
        step,
        (hex) => measure({ ...brand.colors, [base]: hex }) >= needed,
      )
    const color = wouldDo(-0.005) ?? wouldDo(0.005)
    throw new BrandError(
      `site/brand/brand.ts: the contrast of ${words} is ${Math.floor(contrast * 100) / 100}:1, and people need ${needed}:1. ` +
        (color ? `${base}: '${color}' would do.` : 'Choose a darker ink and a lighter paper.'),
    )
  }
}

/** Times the usual radius. */
export const roundness = { square: 0, soft: 1, round: 2 }

export const toKebab = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const formatColors = (colors: Record<string, string>) =>
  Object.entries(colors).map(([name, hex]) => `--color-${toKebab(name)}: ${hex};`)

const formatRgb = (hex: string) =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(' ')

/** What the style sheets call by name. `brandDir` is where the font is, as seen from the sheet. */
export function formatTokens(brand: Brand, { brandDir = '', withNight = false } = {}): string {
  const { shade, ...palette } = computePalette(brand)
  const { family, file } = brand.headingFont ?? {}
  const radius = (name: string, rem: number) =>
    `--radius-${name}: ${rem * roundness[brand.corners]}rem;`
  const tokens = [
    ...formatColors(palette),
    `--color-paper-veil: rgb(${formatRgb(palette.paper)} / 0.92);`,
    ...[10, 50, 58, 60, 62, 80].map(
      (percent) => `--shade-${percent}: rgb(${formatRgb(shade)} / ${percent / 100});`,
    ),
    ...[radius('m', 0.5), radius('l', 0.75), radius('xl', 1)],
    ...(family ? [`--font-display: "${family}", system-ui, sans-serif;`] : []),
    ...(withNight ? [`--color-rail: ${palette.ink};`, `--color-on-rail: ${palette.paper};`] : []),
  ]
  return [
    `:root { ${tokens.join(' ')} }`,
    ...(withNight
      ? [
          `@media (prefers-color-scheme: dark) { :root { ${formatColors(computeNight(brand)).join(' ')} } }`,
        ]
      : []),
    // Late, it is not used on this page: nothing may jump.
    ...(family
      ? [
          `@font-face { font-family: "${family}"; src: url("${brandDir}/${file}"); font-weight: 100 900; font-display: optional; }`,
        ]
      : []),
  ].join('\n')
}
