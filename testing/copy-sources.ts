import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const sources = ['site', 'leads', 'vite.config.ts', 'package.json', 'tsconfig.json']

/** Copies the page's source files, plus any other given paths, to a temporary folder. */
export function copySources(...others: string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'sources-'))
  for (const name of [...sources, ...others]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/**
 * Builds the page in a copy, with only PATH and HOME from this process's environment. If the build fails, throws an
 * error with the output.
 */
export function buildCopy(folder: string): void {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME }
  execFileSync(process.execPath, ['site/build/build.ts'], { cwd: folder, env, stdio: 'pipe' })
}
