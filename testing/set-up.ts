import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { createDir } from './database.ts'

const manifest = {
  dependencies: { a: '1.2.3' },
  devDependencies: { d: '7.8.9' },
  optionalDependencies: { 'node-any-cpu': '24.0.0' },
}
export const lockfile = JSON.stringify({
  packages: {
    '': { ...manifest, name: 'site' },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/a/node_modules/@b/c': { version: '4.5.6' },
    'node_modules/d': { version: '7.8.9', resolved: 'git+ssh://git@example.com/d.git' },
    'node_modules/node-any-cpu': { version: '24.0.0' },
  },
})

/** A checkout with set-up, and a path with nothing on it but Node and an npm that writes down what it was asked for. */
export function checkOut() {
  const folder = createDir()
  const scripts = ['setup.mjs', 'tools.mjs', 'say-skipped.mjs', 'browsers.mjs']
  for (const name of ['setup.mjs', ...scripts.map((script) => `scripts/${script}`)])
    cpSync(join(import.meta.dirname, '..', name), join(folder, name))
  for (const name of ['.npmrc', 'site/index.html', 'vite.config.ts']) write(name, name)
  write('package.json', JSON.stringify(manifest))
  write('package-lock.json', lockfile)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of ['sh', 'mkdir', 'cp']) symlinkSync(`/bin/${name}`, join(bin, name))
  symlinkSync(process.execPath, join(bin, 'node'))
  stub('npm', `mkdir -p node_modules/.bin '${folder}'/dist; >node_modules/.bin/node`)

  function write(name: string, text: string) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  /** A program that writes down what it was asked for. */
  function stub(name: string, script = '') {
    write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >> '${folder}/asked'\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  /** What everybody was asked for by this run. */
  function run(purpose: string, env: Record<string, string> = {}, options = {}) {
    const asked = join(folder, 'asked')
    rmSync(asked, { force: true })
    const { status, stdout, stderr } = start(['scripts/setup.mjs', ...purpose.split(' ')], {
      env: { PATH: bin, HOME: folder, ...env },
      ...options,
    })
    expect(stdout).toBe('')
    const lines = existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []
    return { status, stderr, asked: lines }
  }
  const start = (args: string[], options = {}) =>
    spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', ...options })
  /** The last words of `npm test`. */
  const readLastWords = () => start(['scripts/say-skipped.mjs']).stdout
  return { folder, bin, run, stub, write, start, readLastWords }
}
