import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('passes Deno’s type check', () => {
  const entry = 'supabase/functions/submit-to-airtable/index.ts'
  const args = ['check', '--quiet', '--node-modules-dir=manual', entry]
  expect(execFileSync('node_modules/.bin/deno', args, { encoding: 'utf8' })).toBe('')
})
