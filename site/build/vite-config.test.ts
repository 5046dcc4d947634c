import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDir } from '#testing/database.ts'
import config from '../../vite.config.ts'

/** Reads Vite's configuration in a checkout with this .env. */
function readConfig(dotEnv: string, given: Record<string, string> = {}) {
  const checkout = process.cwd()
  const folder = createDir()
  writeFileSync(join(folder, '.env'), dotEnv)
  process.chdir(folder)
  for (const name of ['PORT', 'PUBLIC_URL']) vi.stubEnv(name, given[name])
  onTestFinished(() => {
    process.chdir(checkout)
    vi.unstubAllEnvs()
  })
  return config({ mode: 'production', command: 'build' })
}

test.each([
  ['in .env', 'PORT=4567\n', {}, 'http://localhost:4567'],
  ['in the shell, which wins', 'PORT=4567\n', { PORT: '4568' }, 'http://localhost:4568'],
  ['used by default', '', {}, 'http://localhost:3000'],
])('sends the form’s requests in development to the port %s', (_, dotEnv, given, target) => {
  expect(readConfig(dotEnv, given).server?.proxy).toEqual({ '/functions': target })
})
