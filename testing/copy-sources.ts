import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const sources = ['site', 'leads', 'vite.config.ts', 'package.json', 'tsconfig.json']

/** Copies the sources of the page, plus any other named paths, to a temporary folder. */
export function copySources(...others: string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'sources-'))
  for (const name of [...sources, ...others]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
