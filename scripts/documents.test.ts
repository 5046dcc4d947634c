import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const rooms = /^(art|bench|demo|deploy|docs|e2e|leads|owner|scripts|server|site|supabase|testing)\//
const documents = [...globSync('*.md'), ...globSync('docs/*.md')]

test.each(documents)('%s names only files that are there', (document) => {
  const text = readFileSync(document, 'utf8')
  const named = [...text.matchAll(/`([\w@./-]+)`/g)].map(([, path = '']) => path)
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) =>
    join(dirname(document), path),
  )
  const paths = [...named.filter((path) => rooms.test(path)), ...linked]
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})
