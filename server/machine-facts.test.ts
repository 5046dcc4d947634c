import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { createDir } from '#testing/database.ts'
import { alwaysOpen } from '#testing/saved-leads.ts'
import { readMachineFacts } from './machine-facts.ts'

it.each([
  ['a disk', 0xef53, 'disk'],
  ['tmpfs', 0x01021994, 'memory'],
  ['a container', 0x794c7630, 'container'],
  ['NFS', 0x6969, 'network'],
  // Some kernels return a signed number.
  ['SMB', 0xff534d42 | 0, 'network'],
])('reads the free space and the kind of storage on %s', async (_, type, kind) => {
  const env = readEnv({ DATA_DIR: createDir() }, alwaysOpen)
  const readStatfs = async () => ({ type, bavail: 1_000, bsize: 4_096 })
  const { storage } = await readMachineFacts(env, {}, {}, readStatfs)
  expect(storage).toEqual({ kind, freeBytes: 4_096_000, newestBackupAt: undefined })
})

it('recognizes a container by its root file system, also with PostgreSQL', async () => {
  const env = readEnv({ DATABASE_URL: 'postgres://a@b/c' }, alwaysOpen)
  const read = (type: number) =>
    readMachineFacts(env, {}, {}, async (path) => ({
      type: path === '/' ? type : 0,
      bavail: 1,
      bsize: 1,
    }))
  expect(await read(0x794c7630)).toMatchObject({ inContainer: true })
  expect(await read(0xef53)).toMatchObject({ inContainer: false })
})

it('finds the newest backup that is not empty, including in BACKUP_DIR', async () => {
  const dataDir = createDir()
  const folder = join(dataDir, 'backups')
  const read = async (variables = {}) =>
    (await readMachineFacts(readEnv({ DATA_DIR: dataDir }, alwaysOpen), variables, {})).storage
      ?.newestBackupAt
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
