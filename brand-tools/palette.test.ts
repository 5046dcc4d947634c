import { wcagContrast } from 'culori'
import { expect, test } from 'vitest'
import { brand } from '#site/brand/brand.ts'
import type { Brand } from '#site/schema/brand-schema.ts'
import { checkBrand, computeNight, computePalette } from './palette.ts'

const sample = { ink: '#1b2326', paper: '#faf6ee', accent: '#b4501e' }
const makeBrand = (colors: Partial<Brand['colors']>): Brand => ({
  colors: { ...sample, ...colors },
  corners: 'soft',
})

test('derives the sample’s palette from its three colors', () => {
  expect(computePalette({ colors: sample })).toMatchObject({
    slate: '#3f5458',
    sand: '#efe6d6',
    accentDeep: '#8f3c12',
    onAccent: '#ffffff',
    link: '#b4501e',
    alarm: '#a31621',
    leaf: '#23613a',
  })
  expect(computeNight({ colors: sample })).toMatchObject({
    white: '#1b2529',
    ink: '#f3eee4',
    slate: '#b3c0c2',
    accent: '#ef9560',
    accentDeep: '#ffb48a',
  })
})

test('the current brand has enough contrast', () => {
  expect(() => checkBrand(brand)).not.toThrow()
})

/** Applies the colors that a message suggests. */
function follow(message: string, colors: typeof sample) {
  const advised = [...message.matchAll(/(ink|paper|accent): '(#[0-9a-f]{6})'/g)]
  return { ...colors, ...Object.fromEntries(advised.map(([, name, hex]) => [name, hex])) }
}

const readFaults = (colors: typeof sample) => {
  try {
    checkBrand(makeBrand(colors))
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  [{ ink: '#8a9799' }, ['ink on paper', 'ink on white', 'slate (made from ink) on paper']],
  [{ paper: '#b0b0b0' }, ['slate (made from ink) on paper']],
  [{ accent: '#808080' }, ['text on accent (a button) is 4.04:1']],
  [{ accent: '#cc6633' }, ['text on accent (a button) is 4.19:1']],
  [
    { accent: '#fff3d0' },
    ['accent (a button) on paper is 1.02:1, but it must be at least 1.5:1', 'on white is 1.1:1'],
  ],
  [{ accent: '#1b2326' }, ['accent (the emergency button) on ink is 1:1']],
  [{ ink: '#3a3a3a', accent: '#f97316' }, ['slate', 'text on accent (a button) is 4.05:1']],
])('lists every fault of %o, and suggests colors that pass', (changes, pairs) => {
  const colors = { ...sample, ...changes }
  const message = readFaults(colors)
  for (const pair of pairs) expect(message).toContain(pair)
  const [advice, ...faults] = message.split('\n').reverse()
  expect(advice).toMatch(/^Try (ink|paper|accent): /)
  for (const fault of faults)
    expect(fault).toMatch(
      /^site\/brand\/brand\.ts: the contrast of .+ is [\d.]+:1, but it must be at least [\d.]+:1/,
    )
  expect(readFaults(follow(message, colors))).toBe('')
})

test('suggests the nearest color in either direction', () => {
  // A slightly lighter orange with dark text is nearer than a brown with white text.
  const colors = { ...sample, ink: '#353535', accent: '#f97316' }
  expect(readFaults(colors)).toContain("Try accent: '#fd761c'")
})

test('suggests another paper if that is nearer than another ink', () => {
  const colors = { ...sample, ink: '#0f0f0f', paper: '#a8a8a8' }
  expect(readFaults(colors)).toContain("Try paper: '#b1b1b1'.")
})

test('explains that ink must be darker than paper', () => {
  const check = (ink: string, paper: string) => () => checkBrand(makeBrand({ ink, paper }))
  expect(check('#faf6ee', '#1b2326')).toThrow(
    "ink (#faf6ee) is lighter than paper (#1b2326), but the site shows dark text on a light background. Try ink: '#1b2326' and paper: '#faf6ee'.",
  )
  expect(check('#7a7a7a', '#909090')).toThrow('Choose a darker ink and a lighter paper.')
})

test('uses dark text on a light accent, and links darker than the accent', () => {
  const light = makeBrand({ accent: '#f2b632' })
  expect(() => checkBrand(light)).not.toThrow()
  const { onAccent, link, ink, paper } = computePalette(light)
  expect(onAccent).toBe(ink)
  for (const under of ['#ffffff', paper])
    expect(wcagContrast(link, under)).toBeGreaterThanOrEqual(4.5)
  const dark = computeNight(light)
  for (const text of [dark.ink, dark.slate, dark.link])
    expect(wcagContrast(text, dark.white)).toBeGreaterThanOrEqual(4.5)
})
