import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

const compressions = [
  { ending: 'br', compress: (text: Buffer) => promisify(brotliCompress)(text) },
  { ending: 'gz', compress: (text: Buffer) => promisify(gzip)(text, { level: 9 }) },
]

/** Writes a Brotli and a gzip version next to each file. */
export async function compressFiles(paths: readonly string[]): Promise<void> {
  const compressFile = async (path: string) => {
    const text = await readFile(path)
    for (const { ending, compress } of compressions)
      await writeFile(`${path}.${ending}`, await compress(text))
  }
  await Promise.all(paths.map(compressFile))
}
