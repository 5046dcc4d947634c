import { expect, test } from 'vitest'
import { brand } from '../brand/brand.ts'
import { computeContrast } from './color.ts'
import { type Brand, checkBrand, computeNight, computePalette, formatTokens } from './palette.ts'

const sample = { ink: '#1b2326', paper: '#faf6ee', accent: '#b4501e' }
const makeBrand = (colors: Partial<Brand['colors']>): Brand => ({
  colors: { ...sample, ...colors },
  corners: 'soft',
})

test('the sample’s three colors give all that its designer chose', () => {
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

test('the brand as it is can be read', () => {
  expect(() => checkBrand(brand)).not.toThrow()
})

test.each([
  ['ink', '#8a9799', 'ink on paper'],
  ['paper', '#b0b0b0', 'slate (made of ink) on paper'],
  ['accent', '#808080', 'white on accent (a button) is 3.94:1'],
  ['accent', '#cc6633', 'white on accent (a button) is 3.8:1'],
] as const)(
  '%s %s does not build: the message names the pair and a color that would do',
  (name, hex, pair) => {
    let message = ''
    let colors = { ...sample, [name]: hex }
    // One pair at a time: what is said next is true of the color that was advised.
    for (let turn = 0; turn < 4; turn++) {
      try {
        checkBrand(makeBrand(colors))
        break
      } catch (error) {
        message ||= (error as Error).message
        const [, base = '', advised = ''] =
          (error as Error).message.match(/(ink|paper|accent): '(#[0-9a-f]{6})' would do/) ?? []
        expect(advised, (error as Error).message).not.toBe('')
        colors = { ...colors, [base]: advised }
      }
    }
    expect(message).toContain(pair)
    expect(message).toMatch(
      /^site\/brand\/brand\.ts: the contrast of .+ is [\d.]+:1, and people need 4\.5:1/,
    )
    expect(() => checkBrand(makeBrand(colors))).not.toThrow()
  },
)

test('what is no color is said', () => {
  expect(() => checkBrand(makeBrand({ accent: 'red' }))).toThrow("accent is 'red'")
})

test('on a light accent words are dark, and links are darker than it', () => {
  const light = makeBrand({ accent: '#f2b632' })
  expect(() => checkBrand(light)).not.toThrow()
  const { onAccent, link, ink, paper } = computePalette(light)
  expect(onAccent).toBe(ink)
  for (const under of ['#ffffff', paper])
    expect(computeContrast(link, under)).toBeGreaterThanOrEqual(4.5)
  const dark = computeNight(light)
  for (const text of [dark.ink, dark.slate, dark.link])
    expect(computeContrast(text, dark.white)).toBeGreaterThanOrEqual(4.5)
})

test('corners and an own font reach the style sheets', () => {
  const own = { ...makeBrand({}), corners: 'square' as const }
  expect(formatTokens(own)).toContain('--radius-xl: 0rem;')
  const headingFont = { family: 'My Sans', file: 'my.woff2' }
  const tokens = formatTokens({ ...own, headingFont }, { brandDir: './brand' })
  expect(tokens).toContain('--font-display: "My Sans", system-ui')
  expect(tokens).toContain('url("./brand/my.woff2")')
})
