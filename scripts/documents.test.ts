import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const rooms =
  /^(art|bench|demo|deploy|desk|docs|e2e|leads|owner|scripts|server|site|supabase|testing)\//
const skipped = ['node_modules', 'dist', 'dist-desk', 'test-results', 'data'].map(
  (dir) => `${dir}/**`,
)
const documents = [...globSync('*.md'), ...globSync('docs/*.md')]

test.each(documents)('%s names only files that are there', (document) => {
  const text = readFileSync(document, 'utf8')
  const named = [...text.matchAll(/`([\w@./-]+)`/g)].map(([, path = '']) => path)
  const linked = [...text.matchAll(/(?:\]\(|<img src=")(?!https?:)([^)#"]+)/g)].map(
    ([, path = '']) => join(dirname(document), path),
  )
  const paths = [...named.filter((path) => rooms.test(path)), ...linked]
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})

test('no source file is longer than a sitting', () => {
  const sources = globSync('**/*.{ts,tsx,mjs,css,html,sql}', { exclude: skipped })
  expect(sources.length).toBeGreaterThan(100)
  const countLines = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1
  expect(sources.filter((file) => countLines(file) > 300)).toEqual([])
})
