import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const { BROTLI_PARAM_NPOSTFIX: postfix, BROTLI_PARAM_NDIRECT: direct } = constants
// Brotli's heuristics vary by 50 bytes with how it writes distances, so keep the smallest result.
const variants = [{}, { [postfix]: 1 }, { [postfix]: 2, [direct]: 16 }, { [direct]: 4 }]
const maxVariedBytes = 100_000

/** The server uses this, too, when the owner publishes a page. */
export const compress = async (text: Uint8Array) => ({
  br: await compressBrotli(text),
  gzip: await promisify(gzip)(text, { level: 9 }),
})

async function compressBrotli(text: Uint8Array) {
  const tried = text.byteLength > maxVariedBytes ? [{}] : variants
  const results = await Promise.all(
    tried.map((params) => promisify(brotliCompress)(text, { params })),
  )
  return results.reduce((best, result) => (result.byteLength < best.byteLength ? result : best))
}

/** Writes a Brotli and a gzip version next to each file. */
export async function compressFiles(paths: readonly string[]): Promise<void> {
  const compressFile = async (path: string) => {
    const compressed = await compress(await readFile(path))
    await writeFile(`${path}.br`, compressed.br)
    await writeFile(`${path}.gz`, compressed.gzip)
  }
  await Promise.all(paths.map(compressFile))
}
