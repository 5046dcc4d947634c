import { clampChroma, formatHex, interpolate, oklch, wcagContrast, wcagLuminance } from 'culori'
import { UserError } from '#leads/user-error.ts'
import type { Brand } from '#site/schema/brand-schema.ts'

type BaseColor = keyof Brand['colors']

type Rule = readonly [
  from: BaseColor,
  how: 'by' | 'at',
  lightness: number,
  chroma: number,
  hue: number,
]

// Each rule is in OKLCH. It adds to the lightness (by) or sets it (at), multiplies the chroma, and rotates the hue. The
// numbers were tuned by eye on the sample brand.
const day = {
  slate: ['ink', 'by', 0.18, 2.1, -12],
  fieldBorder: ['ink', 'at', 0.667, 1.19, -15],
  placeholder: ['ink', 'at', 0.556, 1.62, -13],
  sand: ['paper', 'by', -0.046, 2.05, -2],
  accentDeep: ['accent', 'by', -0.089, 0.86, 0],
} as const satisfies Record<string, Rule>

/** Colors for the award badge and the drawing on the 404 page. */
const drawings = {
  shingle: ['ink', 'by', 0.243, 2.4, -11],
  shingleLight: ['ink', 'by', 0.3, 2.2, -20],
  ribbon: ['ink', 'by', 0.127, 1.99, -7],
  siding: ['paper', 'by', -0.115, 2.99, -3],
  eaves: ['paper', 'by', -0.178, 3.62, 0],
  trim: ['paper', 'by', -0.128, 3.11, -2],
  brick: ['accent', 'by', -0.01, 0.74, -1.5],
  brickDeep: ['accent', 'by', -0.072, 0.67, -2],
} as const satisfies Record<string, Rule>

/** Colors for the desk in dark mode. */
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

/** Colors that do not depend on the brand. */
const fixed = {
  white: '#ffffff',
  alarm: '#a31621',
  leaf: '#23613a',
  // Stars on white are gold, which has the required contrast of 3:1. Stars on dark pictures are goldLight.
  gold: '#c5850c',
  goldLight: '#ffc247',
}
const fixedInDrawings = { wood: '#d39b68', sun: '#f3dcae' }

const lightnessStep = 0.005
const minContrast = 4.5
// A button needs less contrast with its background, because the text on it is readable. This allows yellow, which many
// brands use.
const minButtonContrast = 1.5

type Lch = { l: number; c: number; h: number }

function toLch(hex: string): Lch {
  const { l = 0, c = 0, h = 0 } = oklch(hex) ?? {}
  return { l, c, h }
}

/** Reduces the chroma of colors that screens cannot show. */
const toHex = (lch: Lch): string => formatHex(clampChroma({ mode: 'oklch', ...lch }, 'oklch'))

function derive(colors: Brand['colors'], [from, how, lightness, chroma, hue]: Rule): string {
  const { l, c, h } = toLch(colors[from])
  // Raise the chroma of grayish colors only, because a strong purple would become too bright.
  const calm = Math.min(c * chroma, Math.max(c, 0.045))
  return toHex({ l: how === 'by' ? l + lightness : lightness, c: calm, h: h + hue })
}

const deriveAll = <Name extends string>(colors: Brand['colors'], rules: Record<Name, Rule>) =>
  Object.fromEntries(
    Object.entries<Rule>(rules).map(([name, rule]) => [name, derive(colors, rule)]),
  ) as Record<Name, string>

/** Changes to the lightness in both directions, from smallest to largest. */
const shifts = [0]
for (let step = 1; step <= 1 / lightnessStep; step++)
  shifts.push(-step * lightnessStep, step * lightnessStep)

/** Returns a lighter or darker color with the same hue, or none if the lightness would be out of range. */
function shift(hex: string, by: number): string[] {
  if (by === 0) return [hex]
  const { l, c, h } = toLch(hex)
  return l + by >= 0 && l + by <= 1 ? [toHex({ l: l + by, c, h })] : []
}

const listNearest = (hex: string): string[] => shifts.flatMap((by) => shift(hex, by))

/** Computes every color of the site from the brand's three colors. */
export function computePalette({ colors }: Pick<Brand, 'colors'>) {
  const { ink, paper, accent } = colors
  const { white } = fixed
  const derived = deriveAll(colors, day)
  const isReadable = (text: string) => (under: string) => wcagContrast(text, under) >= minContrast
  // Text is white on a dark accent and ink on a light one.
  const isLight = wcagContrast(ink, accent) > wcagContrast(white, accent)
  const onAccent = isLight && !isReadable(white)(accent) ? ink : white
  if (onAccent === ink) derived.accentDeep = derive(colors, ['accent', 'by', 0.05, 0.86, 0])
  // Use a darker color for links if the accent is too pale for text.
  const isLink = (hex: string) => [white, paper].every(isReadable(hex))
  const link = listNearest(accent).find(isLink) ?? ink
  return { ...fixed, ink, paper, accent, ...derived, onAccent, link }
}

type Palette = ReturnType<typeof computePalette>

export const computeDrawingColors = ({ colors }: Pick<Brand, 'colors'>) => ({
  ...fixedInDrawings,
  ...deriveAll(colors, drawings),
})

export function computeNight({ colors }: Pick<Brand, 'colors'>) {
  const dark = deriveAll(colors, night)
  return { ...dark, alarm: '#ff757a', leaf: '#7fd19b', onAccent: dark.white, link: dark.accent }
}

type Pair = readonly [
  words: string,
  text: (all: Palette) => string,
  under: (all: Palette) => string,
  min?: number,
]

const basePairs: Pair[] = [
  ['ink on paper', (all) => all.ink, (all) => all.paper],
  ['ink on white', (all) => all.ink, (all) => all.white],
  ['slate (made from ink) on paper', (all) => all.slate, (all) => all.paper],
  ['slate (made from ink) on sand (made from paper)', (all) => all.slate, (all) => all.sand],
  [
    'paper at 70% on ink (the footer)',
    (all) => formatHex(interpolate([all.ink, all.paper])(0.7)),
    (all) => all.ink,
  ],
]

const requireVisible = (words: string, under: Pair[2]): Pair => {
  return [words, (all) => all.accent, under, minButtonContrast]
}

const accentPairs: Pair[] = [
  ['text on accent (a button)', (all) => all.onAccent, (all) => all.accent],
  ['text on a hovered button', (all) => all.onAccent, (all) => all.accentDeep],
  requireVisible('accent (a button) on paper', (all) => all.paper),
  requireVisible('accent (a button) on white', (all) => all.white),
  requireVisible('accent (the emergency button) on ink', (all) => all.ink),
]

type Colors = Brand['colors']

function listFaults(colors: Colors, pairs: Pair[]): string[] {
  const all = computePalette({ colors })
  return pairs.flatMap(([words, text, under, min = minContrast]) => {
    const contrast = wcagContrast(text(all), under(all))
    if (contrast >= min) return []
    return `the contrast of ${words} is ${Math.floor(contrast * 100) / 100}:1, but it must be at least ${min}:1.`
  })
}

/** Finds the most similar colors that pass every check. */
function findBetter(colors: Colors): Colors | undefined {
  const passes = (pairs: Pair[]) => (tried: Colors) => listFaults(tried, pairs).length === 0
  const bases = shifts.flatMap((by) => [
    ...shift(colors.ink, by).map((ink) => ({ ...colors, ink })),
    ...shift(colors.paper, by).map((paper) => ({ ...colors, paper })),
  ])
  const base = bases.find(passes(basePairs))
  if (!base) return
  return listNearest(base.accent)
    .map((accent) => ({ ...base, accent }))
    .find(passes(accentPairs))
}

/** Throws an error if any colors are unreadable together. Its message lists them and suggests colors that pass. */
export function checkBrand({ colors }: Brand): void {
  const { ink, paper } = colors
  if (wcagLuminance(ink) > wcagLuminance(paper))
    throw new UserError(
      `site/brand/brand.ts: ink (${ink}) is lighter than paper (${paper}), but the site shows dark text on a light background. Try ink: '${paper}' and paper: '${ink}'.`,
    )
  const faults = listFaults(colors, [...basePairs, ...accentPairs])
  if (faults.length === 0) return
  const better = findBetter(colors)
  const changes = Object.entries(better ?? {})
    .filter(([name, hex]) => hex !== colors[name as BaseColor])
    .map(([name, hex]) => `${name}: '${hex}'`)
  const advice = better
    ? `Try ${changes.join(' and ')}.`
    : 'Choose a darker ink and a lighter paper.'
  throw new UserError(
    [...faults.map((fault) => `site/brand/brand.ts: ${fault}`), advice].join('\n'),
  )
}

/** The factors by which the default radius is multiplied. */
export const roundness = { square: 0, soft: 1, round: 2 }
