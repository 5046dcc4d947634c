import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const pages = ['site', 'public', 'index.html', '404.html']
const build = [
  'vite.config.ts',
  'prerender.ts',
  'earlier-assets.ts',
  'site-headers.ts',
  'package.json',
  'tsconfig.json',
]
const lead = 'supabase/functions/submit-to-airtable/lead.ts'

/** What the page is built from, in a folder of its own that a test may change. */
export function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sources-'))
  for (const name of [...pages, ...build, lead]) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
