import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const folders =
  /^(bench|brand-tools|cli|deploy|desk|docs|e2e|fakes|leads|scripts|server|site|supabase|testing)\//
const skipped = ['node_modules', 'dist', 'dist-desk', 'dist-render', 'test-results', 'data'].map(
  (dir) => `${dir}/**`,
)
// This file is data, so it may have any length.
skipped.push('site/content.ts')
const documents = [...globSync('*.md'), ...globSync('docs/*.md')]

test.each(documents)('%s names only files and npm commands that exist', (document) => {
  const text = readFileSync(document, 'utf8')
  const named = [...text.matchAll(/`([\w@./-]+)`/g)].map(([, path = '']) => path)
  const linked = [...text.matchAll(/(?:\]\(|<img src=")(?!https?:)([^)#"]+)/g)].map(
    ([, path = '']) => join(dirname(document), path),
  )
  const paths = [...named.filter((path) => folders.test(path)), ...linked]
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [, name = ''] of text.matchAll(/npm run (?:-s )?([\w:-]*\w)/g))
    expect(Object.keys(scripts)).toContain(name)
})

test('no source file is longer than 300 lines', () => {
  const sources = globSync('**/*.{ts,tsx,mjs,css,html,sql}', { exclude: skipped })
  expect(sources.length).toBeGreaterThan(100)
  const countLines = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1
  expect(sources.filter((file) => countLines(file) > 300)).toEqual([])
})
