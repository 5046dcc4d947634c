import { formatHex, wcagContrast } from 'culori'
import sharp, { type Sharp } from 'sharp'

/** A part of a picture, in fractions of its width and height. */
export type Area = { left?: number; top?: number; right?: number; bottom?: number }

const minContrast = 4.5
// Add a margin, because the encoded pictures are slightly brighter in places.
const reserve = 0.02

/** Pictures are measured at this width, so that a pixel is about as wide as the stroke of a letter. */
export const measuredWidth = 480

/** Computes the lightest black shade, from 0 to 1, that makes white text readable everywhere in the area. */
export async function computeShade(picture: Sharp, area: Area): Promise<number> {
  const { data, info } = await picture
    .flatten()
    .toColorspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { left = 0, top = 0, right = 1, bottom = 1 } = area
  const [fromX, toX] = [Math.floor(left * info.width), Math.ceil(right * info.width)]
  const [fromY, toY] = [Math.floor(top * info.height), Math.ceil(bottom * info.height)]
  let shade = 0
  for (let y = fromY; y < toY; y++)
    for (let x = fromX; x < toX; x++) {
      const at = (y * info.width + x) * info.channels
      const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3)
      while (shade < 1 && !isReadable(r, g, b, shade)) shade += 0.01
    }
  return shade === 0 ? 0 : Number(Math.min(1, shade + reserve).toFixed(2))
}

/** Computes the color of the picture's top row under the shade. */
export async function computeTopColor(picture: Sharp, shade: number): Promise<string> {
  const row = { left: 0, top: 0, width: measuredWidth, height: 1 }
  const top = await picture.flatten().toColorspace('srgb').extract(row).png().toBuffer()
  const { channels } = await sharp(top).stats()
  const [r = 0, g = 0, b = 0] = channels.map(({ mean }) => (mean * (1 - shade)) / 255)
  return formatHex({ mode: 'rgb', r, g, b })
}

function isReadable(r: number, g: number, b: number, shade: number): boolean {
  const light = (1 - shade) / 255
  const under = { mode: 'rgb', r: r * light, g: g * light, b: b * light } as const
  return wcagContrast('white', under) >= minContrast
}
