import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as content from '#site/content.ts'
import { createDir } from '#testing/database.ts'
import { runDoctor } from './doctor.ts'

const run = (args: string[], given: Record<string, string> = {}, root = '/nowhere') =>
  runDoctor(args, {
    root,
    given,
    readContent: async () => content,
    fetch: () => Promise.reject(new TypeError('fetch failed')),
    pause: async () => {},
    now: () => 0,
  })

test('before anything is set up, says everything that is to do and makes nothing', async () => {
  const checkout = process.cwd()
  const folder = createDir()
  process.chdir(folder)
  vi.stubEnv('TZ', 'UTC')
  onTestFinished(() => {
    process.chdir(checkout)
    vi.unstubAllEnvs()
  })
  const { code, text } = await run([], {}, folder)
  expect(code).toBe(1)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  // The screen that the owner is shown in advance is the real one, until the words are the owner's.
  const operations = readFileSync(join(checkout, 'docs/operations.md'), 'utf8')
  if ('sample' in content.company) expect(operations).toContain(text)
  expect(readdirSync(folder)).toEqual([])

  const json = await run(['--json'], {}, folder)
  expect(json.code).toBe(1)
  const { ready, groups } = JSON.parse(json.text)
  expect(ready).toBe(false)
  expect(groups).toHaveLength(5)
})

test.each([
  ['an unknown option', ['--sned'], {}, /npm run doctor -- --help/],
  ['a word too many', ['everything'], {}, /npm run doctor -- --help/],
  [
    'settings that make no sense',
    [],
    { PORT: 'secret-1', SMTP_URL: 'secret-2' },
    /PORT must.*\n.*SMTP_URL must/,
  ],
])('%s ends it with 2 and a sentence', async (_, args, given, sentence) => {
  const { code, text } = await run(args, given)
  expect(code).toBe(2)
  expect(text).toMatch(sentence)
  expect(text).not.toContain('secret')
})

test('--help tells what the ends mean', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, text: expect.stringContaining('--send') })
})
