import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as content from '#site/content.ts'
import { createDir } from '#testing/database.ts'
import { formatScreen } from './doctor/screen.ts'
import { type DoctorDeps, runDoctor } from './doctor.ts'
import { measureText } from './terminal.ts'

test('before anything is set up, says everything that is to do and makes nothing', async () => {
  const checkout = process.cwd()
  const folder = createDir()
  process.chdir(folder)
  onTestFinished(() => process.chdir(checkout))
  const { deps, output } = makeDeps()
  expect(await runDoctor([], { ...deps, root: folder, given: { TZ: 'UTC' } })).toBe(1)
  // The screen that the owner is shown in advance is the real one, until the words are the owner's.
  const operations = readFileSync(join(checkout, 'docs/operations.md'), 'utf8')
  if ('sample' in content.company) expect(operations).toContain(output.stdout)
  expect(readdirSync(folder)).toEqual([])
})

function makeDeps(given: Record<string, string> = {}) {
  const output = { stdout: '', stderr: '' }
  const deps: DoctorDeps = {
    root: '/nowhere',
    given: { DATA_DIR: '/nowhere', ...given },
    readContent: async () => content,
    fetch: async () => {
      throw new TypeError('fetch failed')
    },
    readCertificate: async () => ({ startsAt: 0, endsAt: 0 }),
    pause: async () => {},
    now: () => 0,
    stdout: (text) => {
      output.stdout += text
    },
    stderr: (text) => {
      output.stderr += text
    },
    color: false,
  }
  return { deps, output }
}

test.each([[['--sned']], [['everything']], [['--json=yes']]])(
  'refuses %j plainly, with 2',
  async (args) => {
    const { deps, output } = makeDeps()
    expect(await runDoctor(args, deps)).toBe(2)
    expect(output.stderr).toContain('npm run doctor -- --help')
    expect(output.stdout).toBe('')
  },
)

test('settings that make no sense end it with 2 and their names, not their values', async () => {
  const { deps, output } = makeDeps({ PORT: 'secret-1', SMTP_URL: 'secret-2' })
  expect(await runDoctor([], deps)).toBe(2)
  expect(output.stderr).toMatch(/PORT must.*\n.*SMTP_URL must/)
  expect(output.stderr).not.toContain('secret')
})

test('--help tells what the ends mean', async () => {
  const { deps, output } = makeDeps()
  expect(await runDoctor(['--help'], deps)).toBe(0)
  expect(output.stdout).toContain('--send')
})

test('the screen fits 80 columns, is colored only where it may be, and --json has the same', async () => {
  const [screen, colored, json] = [makeDeps(), makeDeps(), makeDeps()]
  expect(await runDoctor([], screen.deps)).toBe(1)
  const { stdout } = screen.output
  for (const line of stdout.split('\n')) expect(measureText(line)).toBeLessThanOrEqual(80)
  expect(stdout).not.toContain('\u001b')
  await runDoctor([], { ...colored.deps, color: true })
  expect(colored.output.stdout).toContain('\u001b[31mto do')
  expect(await runDoctor(['--json'], json.deps)).toBe(1)
  const { ready, groups } = JSON.parse(json.output.stdout)
  expect(ready).toBe(false)
  expect(formatScreen(groups, { color: false })).toBe(stdout)
})
