import type { Plugin } from 'vite'
import brand from '../../leads/brand.json' with { type: 'json' }
import { toKebab } from './drawing.ts'

/** Adds the brand's colors and corners to a page's style sheet. */
export function applyBrand({ withNight = false } = {}): Plugin {
  return {
    name: 'apply-brand',
    enforce: 'pre',
    transform(code, id) {
      const [file = ''] = id.split('?')
      if (/\/below-fold\.css$/.test(file)) return `${code}\n${formatLaterTokens()}`
      if (!/\/(landing-page|not-found-page|desk)\.css$/.test(file)) return
      const isFirst = /landing/.test(file)
      return `${code}\n${formatTokens({ withNight, isFirst })}`
    },
  }
}

const formatColors = (colors: Record<string, string>) =>
  Object.entries(colors).map(([name, hex]) => `--color-${toKebab(name)}: ${hex};`)

const formatRgb = (hex: string) =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(' ')

// The first screen does not use these, so leave them out of its style sheet.
const laterTokens = /^--(color-(gold|sand|accent-deep|paper-veil)|radius-l|shade-night):/

function listTokens({ palette, roundness, shades, heroTop } = brand): string[] {
  const radius = (name: string, rem: number) => `--radius-${name}: ${rem * roundness}rem;`
  return [
    ...formatColors(palette),
    `--color-paper-veil: rgb(${formatRgb(palette.paper)} / 0.96);`,
    `--color-hero-top: ${heroTop};`,
    ...[radius('m', 0.5), radius('l', 0.75), radius('xl', 1)],
    ...Object.entries(shades).map(([name, shade]) => `--shade-${toKebab(name)}: ${shade};`),
  ]
}

const formatLaterTokens = () =>
  `:root { ${listTokens()
    .filter((token) => laterTokens.test(token))
    .join(' ')} }`

/** Formats the custom properties for a style sheet. */
export function formatTokens({ withNight = false, isFirst = false } = {}, values = brand): string {
  const { palette, night } = values
  const tokens = [
    ...listTokens(values).filter((token) => !isFirst || !laterTokens.test(token)),
    ...(withNight ? [`--color-rail: ${palette.ink};`, `--color-on-rail: ${palette.paper};`] : []),
  ]
  return [
    `:root { ${tokens.join(' ')} }`,
    ...(withNight
      ? [`@media (prefers-color-scheme: dark) { :root { ${formatColors(night).join(' ')} } }`]
      : []),
  ].join('\n')
}
