/** Colors as people see them: lightness 0 to 1, chroma 0 (gray) to about 0.3, hue in degrees (OKLCH). */
export type Lch = { l: number; c: number; h: number }

const toLinear = (part: number) =>
  part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
const fromLinear = (part: number) =>
  part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055

export const isHex = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

const readLinear = (hex: string) =>
  [1, 3, 5].map((at) => toLinear(Number.parseInt(hex.slice(at, at + 2), 16) / 255))

export function toLch(hex: string): Lch {
  const [r = 0, g = 0, b = 0] = readLinear(hex)
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const u = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const v = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
  return { l, c: Math.hypot(u, v), h: (Math.atan2(v, u) * 180) / Math.PI }
}

/** A color that no screen shows gives up chroma until one does. */
export function toHex({ l, c, h }: Lch): string {
  const angle = (h * Math.PI) / 180
  const [u, v] = [c * Math.cos(angle), c * Math.sin(angle)]
  const long = (l + 0.3963377774 * u + 0.2158037573 * v) ** 3
  const medium = (l - 0.1055613458 * u - 0.0638541728 * v) ** 3
  const short = (l - 0.0894841775 * u - 1.291485548 * v) ** 3
  const parts = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
  if (c > 0 && parts.some((part) => part < -0.0005 || part > 1.0005))
    return toHex({ l, c: Math.max(0, c - 0.005), h })
  const bytes = parts.map((part) => Math.round(255 * fromLinear(Math.min(1, Math.max(0, part)))))
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The ratio that WCAG asks for: 1 to 21. */
export function computeContrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map((hex) => {
      const [r = 0, g = 0, b = 0] = readLinear(hex)
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    })
    .sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** `share` of one color over the other, as a half transparent one looks there. */
export function mix(over: string, under: string, share: number): string {
  const bytes = [1, 3, 5].map((at) => {
    const [top, below] = [over, under].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16))
    return Math.round((top ?? 0) * share + (below ?? 0) * (1 - share))
  })
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
