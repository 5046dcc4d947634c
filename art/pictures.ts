import { join } from 'node:path'
import sharp from 'sharp'

type Encoding = { width: number; avif: number; webp: number }

// Qualities are per width: a picture shown at two or three device pixels per CSS pixel hides more
// than one shown at one. All three pictures stand under a gradient or are grainy by nature.
const pictures: Record<string, Encoding[]> = {
  hero: [
    { width: 1024, avif: 44, webp: 58 },
    { width: 1440, avif: 45, webp: 58 },
    { width: 1920, avif: 44, webp: 56 },
  ],
  // One for all phones. With its headers it fits into ten packets, what a server may send before it
  // hears back; under the shade it is as good as 28 kB at 760.
  'hero-portrait': [{ width: 640, avif: 28, webp: 46 }],
  about: [
    { width: 480, avif: 46, webp: 56 },
    { width: 800, avif: 46, webp: 48 },
    { width: 1200, avif: 44, webp: 50 },
  ],
}

export async function makePictures(sourceDir: string, targetDir: string) {
  for (const [name, encodings] of Object.entries(pictures)) {
    for (const { width, avif, webp } of encodings) {
      const picture = sharp(join(sourceDir, `${name}.webp`)).resize(width)
      const target = join(targetDir, `${name}-${width}`)
      await picture.clone().avif({ quality: avif, effort: 6 }).toFile(`${target}.avif`)
      await picture
        .clone()
        .webp({ quality: webp, effort: 6, smartSubsample: true })
        .toFile(`${target}.webp`)
    }
  }
}
