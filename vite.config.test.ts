import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copySources } from './testing/copy-sources.ts'

test.each([
  ['in .env', 'PORT=4567\n', {}, 'http://localhost:4567'],
  ['of the shell before that', 'PORT=4567\n', { PORT: '4568' }, 'http://localhost:4568'],
  ['that everybody expects', '', {}, 'http://localhost:3000'],
])(
  'while developing, the form’s call goes to the port %s',
  (_, dotEnv, given, target) => {
    const folder = copySources()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, '.env'), dotEnv)
    const look = `import { resolveConfig } from 'vite'
    const { server } = await resolveConfig({ logLevel: 'silent' }, 'serve')
    process.stdout.write(JSON.stringify(server.proxy))`
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', look], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...given },
      encoding: 'utf8',
    })
    expect(JSON.parse(said)).toEqual({ '/functions': target })
  },
  20_000,
)
