import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { createDir } from '#testing/database.ts'
import { readMachineFacts } from './machine-facts.ts'

it('reads the free space, and recognizes a data folder inside a container', async () => {
  const env = readEnv({ DATA_DIR: createDir() })
  for (const isTemporary of [true, false]) {
    const type = isTemporary ? 0x794c7630 : 0xef53
    const readStatfs = async () => ({ type, bavail: 1_000, bsize: 4_096 })
    const { storage } = await readMachineFacts(env, {}, {}, readStatfs)
    expect(storage).toEqual({ isTemporary, freeBytes: 4_096_000, newestBackupAt: undefined })
  }
})

it('finds the newest backup that is not empty, including in BACKUP_DIR', async () => {
  const dataDir = createDir()
  const folder = join(dataDir, 'backups')
  const read = async (variables = {}) =>
    (await readMachineFacts(readEnv({ DATA_DIR: dataDir }), variables, {})).storage?.newestBackupAt
  const write = (name: string, atSeconds: number, text = 'x') => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
    utimesSync(join(folder, name), atSeconds, atSeconds)
  }
  expect(await read()).toBeUndefined()
  write('leads-20261115T110000Z.sqlite.gz', 1_000, '')
  write('notes.txt', 1_000)
  expect(await read()).toBeUndefined()
  write('leads-20261114T100000Z.sqlite.gz', 2_000)
  write('leads-20261114T130000Z.sqlite.gz', 3_000)
  expect(await read()).toBe(3_000_000)
  expect(await read({ BACKUP_DIR: join(dataDir, 'elsewhere') })).toBeUndefined()
})
