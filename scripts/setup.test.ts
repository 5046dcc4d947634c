import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDir } from '#testing/database.ts'

const install = expect.stringMatching(/^npm ci --omit=dev --ignore-scripts /)
const installDev = expect.stringMatching(/^npm ci --include=dev --ignore-scripts /)
const build = expect.stringMatching(/^npm run .*build/)

/** Creates a checkout with a PATH that has only a shell, env, and a fake npm that logs its arguments. */
function createCheckout() {
  const folder = createDir()
  const bin = join(folder, 'bin')
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const name of ['bin', 'site', 'node_modules', 'dist']) mkdirSync(join(folder, name))
  for (const name of ['scripts', '.npmrc', 'package-lock.json'])
    cpSync(name, join(folder, name), { recursive: true })
  symlinkSync('/bin/sh', join(bin, 'sh'))
  symlinkSync('/usr/bin/env', join(bin, 'env'))
  const run = (wanted: string, env = {}, npm = '') => {
    write('calls', '')
    write('bin/npm', `#!/bin/sh\necho "npm $*" >> calls\n${npm}\n`)
    chmodSync(join(bin, 'npm'), 0o755)
    const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.mjs', wanted], {
      cwd: folder,
      env: { PATH: bin, HOME: folder, ...env },
      encoding: 'utf8',
    })
    const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean)
    return { status, stderr, calls }
  }
  return { write, run }
}

test('installs and builds only after a change', () => {
  const { run, write } = createCheckout()
  expect(run('start').calls).toEqual([install, build])
  expect(run('start').calls).toEqual([])
  expect(run('dev').calls).toEqual([installDev])
  expect(run('start').calls).toEqual([])
  write('package-lock.json', '{}')
  expect(run('start').calls).toEqual([installDev, build])
  for (const name of ['site/index.html', 'vite.config.ts', '.env']) {
    write(name, 'changed')
    expect(run('start').calls).toEqual([build])
  }
  expect(run('start', { PUBLIC_URL: 'https://www.example.com' }).calls).toEqual([build])
})

test('prints the output of a failed build and stops', () => {
  const { run } = createCheckout()
  run('')
  const { status, stderr } = run('start', {}, 'echo "site/content.ts: company.phone is …"; exit 1')
  expect(status).toBe(1)
  expect(stderr).toMatch(/company\.phone is …\n.*failed, so your command was not started\./s)
})

test('asks for a newer Node before it installs anything', () => {
  const { run, write } = createCheckout()
  write(
    'old-node.mjs',
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`,
  )
  const { status, stderr, calls } = run('start', { NODE_OPTIONS: '--import=./old-node.mjs' })
  expect([status, calls]).toEqual([1, []])
  expect(stderr).toBe(
    'This site needs Node 20 or newer, and this is Node 18.20.4. Install Node 24 from nodejs.org, then try again.\n',
  )
})

test('lists skipped tests, but fails if CI is set', () => {
  const { run } = createCheckout()
  const hint = 'Skipped all browser tests. To run them: apt-get install chromium-headless-shell'
  expect(run('test')).toMatchObject({ status: 0, stderr: expect.stringContaining(hint) })
  expect(run('skipped').stderr).toContain(hint)
  expect(run('test', { CI: 'true' }).status).toBe(1)
})
