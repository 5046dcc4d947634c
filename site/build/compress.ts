import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** The server also uses this when the owner publishes the page. */
export const compress = async (text: Uint8Array) => ({
  br: await promisify(brotliCompress)(text),
  gzip: await promisify(gzip)(text, { level: 9 }),
})

/** Writes a Brotli and a gzip version next to each file. */
export async function compressFiles(paths: readonly string[]): Promise<void> {
  const compressFile = async (path: string) => {
    const compressed = await compress(await readFile(path))
    await writeFile(`${path}.br`, compressed.br)
    await writeFile(`${path}.gz`, compressed.gzip)
  }
  await Promise.all(paths.map(compressFile))
}
