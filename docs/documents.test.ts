import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { storeLead } from '#testing/saved-leads.ts'

const folders =
  /^(bench|brand-tools|cli|deploy|desk|docs|e2e|fakes|leads|scripts|server|site|supabase|testing)\//
const skipped = ['node_modules', 'dist', 'dist-desk', 'dist-render', 'test-results', 'data'].map(
  (dir) => `${dir}/**`,
)
// Data may have any length.
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

test('after a restore on PostgreSQL, cancels old alerts and keeps new ones', async () => {
  const db = await openTestDatabase('postgres')
  const [old, recent] = [Date.now() - 2 * 3_600_000, Date.now()]
  for (const at of [old, recent]) await storeLead(db, { at, channels: ['airtable', 'email'] })
  for (const command of readFileSync('deploy/after-restore.sql', 'utf8').split(';').slice(0, -1))
    await sql.raw(command).execute(db.kysely)
  const cancelled = db.kysely.selectFrom('deliveries').innerJoin('leads', 'leads.id', 'lead_id')
  expect(
    await cancelled.select(['received_at', 'channel']).where('state', '=', 'cancelled').execute(),
  ).toEqual([{ received_at: old, channel: 'email' }])
})
