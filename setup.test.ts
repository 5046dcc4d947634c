import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** A checkout with setup.mjs and an npm that only writes down what it was asked for. */
function checkOut() {
  const folder = mkdtempSync(join(tmpdir(), 'setup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(join(import.meta.dirname, 'setup.mjs'), join(folder, 'setup.mjs'))
  for (const name of ['package-lock.json', '.npmrc', 'index.html', 'prerender.ts'])
    write(name, name)
  mkdirSync(join(folder, 'bin'))
  const npm = join(folder, 'bin/npm')
  writeFileSync(npm, '#!/bin/sh\necho "$@" >> asked\nmkdir -p node_modules dist\n')
  chmodSync(npm, 0o755)

  function write(name: string, text: string) {
    writeFileSync(join(folder, name), text)
  }
  /** What npm was asked for by this run. */
  function run(purpose: string, env: Record<string, string> = {}) {
    rmSync(join(folder, 'asked'), { force: true })
    const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
    execFileSync(process.execPath, ['setup.mjs', purpose], {
      cwd: folder,
      env: { ...env, PATH },
      stdio: 'pipe',
    })
    const asked = join(folder, 'asked')
    return existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []
  }
  return { folder, npm, run, write }
}

test('the first start installs and builds, the second does neither', () => {
  const { run } = checkOut()
  expect(run('start')).toEqual([
    expect.stringMatching(/^ci .*--include=dev/),
    expect.stringMatching(/build/),
  ])
  expect(run('start')).toEqual([])
})

test.each(['index.html', 'prerender.ts', '.env'])(
  'a changed %s is built again, not installed',
  (name) => {
    const { run, write } = checkOut()
    run('start')
    write(name, 'changed')
    expect(run('start')).toEqual([expect.stringMatching(/build/)])
  },
)

test('another backend, key or public address is built again, not installed', () => {
  const { run } = checkOut()
  run('start')
  expect(run('start', { VITE_SUPABASE_URL: 'https://abc.supabase.co' })).toHaveLength(1)
  expect(run('start', { SUPABASE_ANON_KEY: 'other' })).toHaveLength(1)
  expect(run('start', { PUBLIC_URL: 'https://www.example.com' })).toHaveLength(1)
})

test('changed packages are installed again', () => {
  const { run, write } = checkOut()
  run('start')
  write('package-lock.json', 'changed')
  expect(run('start')).toEqual([expect.stringMatching(/^ci /), expect.stringMatching(/build/)])
})

test('a build that fails on the words names their file', () => {
  const { folder, npm, run } = checkOut()
  run('start')
  writeFileSync(
    npm,
    `#!/bin/sh\necho "site/content.ts(11,12): error TS1005: ',' expected."\nexit 2\n`,
  )
  rmSync(join(folder, 'dist'), { recursive: true })
  const failed = spawnSync(process.execPath, ['setup.mjs', 'start'], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    encoding: 'utf8',
  })
  expect(failed.status).toBe(2)
  expect(failed.stdout).toBe('')
  expect(failed.stderr).toContain("site/content.ts(11,12): error TS1005: ',' expected.")
  expect(failed.stderr).toContain('The mistake is in site/content.ts')
  expect(failed.stderr).toContain('Nothing was started')
})

test('every command of a fresh clone installs first', () => {
  const manifest = readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')
  const scripts: Record<string, string> = JSON.parse(manifest).scripts
  const hooks = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('node setup.mjs'))
  const commands = Object.keys(scripts).filter((name) => !hooks.includes(name))
  expect(commands.length).toBeGreaterThan(10)
  expect(hooks.sort()).toEqual(commands.map((name) => `pre${name}`).sort())
})
