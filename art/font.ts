import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const archivo = fileURLToPath(
  import.meta.resolve('@fontsource-variable/archivo/files/archivo-latin-wght-normal.woff2'),
)
const license = fileURLToPath(import.meta.resolve('@fontsource-variable/archivo/LICENSE'))

// ASCII without what no heading says: a kilobyte less, and with its headers ten packets.
const basicLatin = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
  .filter((character) => !'<=>[\\]^_`{|}~'.includes(character))
  .join('')
// Archivo has no arrow: '→' comes from the reader's own fonts.
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

/** One weight as a plain TrueType file, which sharp can set text in. */
export function cutWeight(weight: number): Promise<Buffer> {
  return readFile(archivo).then((font) =>
    subsetFont(font, basicLatin + punctuation, {
      targetFormat: 'sfnt',
      variationAxes: { wght: weight },
      keepFeatures: ['kern'],
    }),
  )
}
