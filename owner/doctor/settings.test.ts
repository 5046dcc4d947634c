import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { createDir } from '#testing/database.ts'
import { checkEnvFile, checkTimeZone } from './settings.ts'

test('.env is to be made, and to be closed to others', () => {
  const file = join(createDir(), '.env')
  const make = 'install -m 600 .env.example .env'
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'to do', next: make })
  expect(checkEnvFile(file, { PUBLIC_URL: 'https://a.test' })).toMatchObject({ state: 'ok' })
  writeFileSync(file, 'PORT=3000\n')
  chmodSync(file, 0o644)
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'to do', next: 'chmod o= .env' })
  // The site's own user may read what root has written.
  chmodSync(file, 0o640)
  expect(checkEnvFile(file, {})).toMatchObject({ state: 'ok' })
})

test('.env that one may not read is another user’s, not fine', () => {
  const folder = createDir()
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, '.env'), 'PORT=3000\n', { mode: 0o000 })
  const look = `import { checkEnvFile } from '${import.meta.dirname}/settings.ts'
    process.stdout.write(JSON.stringify(checkEnvFile('${folder}/.env', {})))`
  // Root may read everything.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const said = execFileSync(process.execPath, ['--eval', look], nobody)
  expect(JSON.parse(String(said))).toMatchObject({ state: 'to do', says: 'You may not read .env.' })
})

test.each([
  ['Etc/UTC', {}, 'to do'],
  ['UTC', { TIME_ZONE: 'UTC' }, 'ok'],
  ['America/Chicago', {}, 'ok'],
])('nobody’s time unless the owner says so: %s, %o', (timeZone, given, state) => {
  expect(checkTimeZone({ ...readEnv({}), timeZone }, given)).toMatchObject({ state })
})
