import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createDir } from '#testing/database.ts'
import { canTestWith } from '#testing/processes.ts'

it.skipIf(!canTestWith('systemd-analyze'))('systemd accepts the units', () => {
  const dir = createDir()
  const files = globSync('deploy/*.{service,timer}').map((unit) => {
    const file = join(dir, basename(unit))
    // Use a program that exists here, because systemd-analyze checks for it.
    const text = readFileSync(unit, 'utf8')
    writeFileSync(file, text.replace('/opt/roofing-site/node_modules/.bin/node', '/bin/sh'))
    return file
  })
  expect(files).toHaveLength(3)
  // systemd-analyze may report problems on stderr and still exit with 0.
  const { stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' })
  expect(stderr).not.toContain('roofing')
})
