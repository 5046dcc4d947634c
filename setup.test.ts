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
  stub('npm', 'echo "$@" >> asked; mkdir -p node_modules dist')

  function stub(name: string, script: string) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }

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
  return { folder, run, stub, write }
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

test('whoever would have to give a password is not asked for one', () => {
  const { folder, run, stub, write } = checkOut()
  run('start')
  mkdirSync(join(folder, 'e2e'))
  const found = ['findBrowser', 'findFirefox', 'findWebKit'].map(
    (name) => `export const ${name} = () => true\n`,
  )
  write('e2e/browser.mjs', found.join(''))
  stub('sudo', 'echo "$@" >> sudo-asked; exit 1')
  chmodSync(folder, 0o777)
  // Root needs no password.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  execFileSync(process.execPath, ['setup.mjs', 'test'], {
    cwd: folder,
    env: { PATH: join(folder, 'bin') },
    stdio: 'pipe',
    ...nobody,
  })
  const asked = join(folder, 'sudo-asked')
  // -n: it fails where there is a password to give.
  if (existsSync(asked)) expect(readFileSync(asked, 'utf8')).toBe('-n true\n')
})

test('a build that fails on the words names their file', () => {
  const { folder, run, stub } = checkOut()
  run('start')
  stub('npm', `echo "site/content.ts(11,12): error TS1005: ',' expected."; exit 2`)
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
