import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const archivo = fileURLToPath(
  import.meta.resolve('@fontsource-variable/archivo/files/archivo-latin-wght-normal.woff2'),
)
const license = fileURLToPath(import.meta.resolve('@fontsource-variable/archivo/LICENSE'))

// Omit ASCII characters that no heading uses. This saves 1 kB, so the font fits into ten packets.
const basicLatin = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
  .filter((character) => !'<=>[\\]^_`{|}~'.includes(character))
  .join('')
// Archivo has no arrow, so browsers use a system font for '→'.
const punctuation = '\u00a0‘’“”–—…·•©®™×°'
const accents = 'áàâäçéèêëíïñóôöúûüÁÀÂÄÇÉÈÊËÍÏÑÓÔÖÚÛÜ'

const headingWeights = { min: 600, max: 800 }

export async function makeFont(targetDir: string) {
  const font = await subsetFont(await readFile(archivo), basicLatin + punctuation + accents, {
    targetFormat: 'woff2',
    variationAxes: { wght: headingWeights },
    keepFeatures: ['kern', 'tnum'],
    noHinting: true,
  })
  await writeFile(`${targetDir}/archivo.woff2`, font)
  await copyFile(license, `${targetDir}/OFL.txt`)
}

/** Creates a TrueType file with one weight, because sharp cannot draw text with a variable WOFF2 font. */
export function makeStaticFont(weight: number): Promise<Buffer> {
  return readFile(archivo).then((font) =>
    subsetFont(font, basicLatin + punctuation, {
      targetFormat: 'sfnt',
      variationAxes: { wght: weight },
      keepFeatures: ['kern'],
    }),
  )
}
