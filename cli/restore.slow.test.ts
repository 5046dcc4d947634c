import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { startVisitors } from '#bench/visitors.ts'
import { openDatabase } from '#server/database.ts'
import { startAirtable } from '#testing/airtable.ts'
import { createDir } from '#testing/database.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { spawnServer, waitUntil } from '#testing/server-process.ts'
import { backUp } from './backup.ts'
import { restore } from './restore.ts'

const ask = (replace: boolean) => ({ backupDir: createDir(), replace, now: testTime })

async function list(dataDir: string, table: 'leads' | 'settings'): Promise<string[]> {
  const db = await openDatabase({ dataDir })
  const rows = await db.kysely.selectFrom(table).select('name').execute()
  await db.close()
  return rows.map(({ name }) => name)
}

it('backs up every acknowledged lead under load, and a new machine continues from the backup', async () => {
  const { fake: airtable } = await startAirtable({ now: Date.now })
  const old = createDir()
  const site = spawnServer({ DATA_DIR: old, RATE_LIMIT_PER_MINUTE: '0' })
  const url = await site.findUrl()
  const listUrls = () => [url]
  const visitors = startVisitors({ count: 8, listUrls, random: Math.random, pauseMs: 5 })
  const acknowledged = () =>
    visitors.leads.filter((lead) => lead.acknowledged).map(({ name }) => name)
  await waitUntil(() => acknowledged().length > 100)
  const before = acknowledged()
  const { file, leads } = await backUp(old, { backupDir: createDir(), keep: 3, now: testTime })
  // Wait until more leads have arrived after the backup.
  await waitUntil(() => acknowledged().length > before.length)
  await visitors.stop()
  await site.kill('SIGKILL')

  const fresh = createDir()
  expect((await restore(fresh, file, { ...ask(false), now: Date.now() })).leads).toBe(leads)
  const next = spawnServer({ DATA_DIR: fresh, ...airtable.env })
  await next.findUrl()
  await waitUntil(() => airtable.records.length > 0)
  await next.kill('SIGTERM')
  const names = await list(fresh, 'leads')
  expect(before.filter((name) => !names.includes(name))).toEqual([])
})

it('loses no write during a restore: it is in the new database or in the backup of the old one', async () => {
  const dataDir = createDir()
  const db = await openDatabase({ dataDir })
  for (let lead = 0; lead < 300; lead++) await storeLead(db)
  await db.close()
  const { file } = await backUp(dataDir, { backupDir: createDir(), keep: 3, now: testTime })
  // Writes like a site that keeps restarting.
  const write = (name: string) => {
    try {
      const sqlite = new DatabaseSync(join(dataDir, 'leads.db'), { timeout: 0 })
      try {
        sqlite.prepare('insert into settings values (?, ?)').run(name, '')
      } finally {
        sqlite.close()
      }
      return true
    } catch {
      return false
    }
  }
  let isDone = false
  const restoring = restore(dataDir, file, ask(true)).finally(() => {
    isDone = true
  })
  const acknowledged: string[] = []
  while (!isDone) {
    const name = `during-${acknowledged.length}`
    if (write(name)) acknowledged.push(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { kept = '' } = await restoring
  expect(acknowledged.length).toBeGreaterThan(0)
  const before = createDir()
  await restore(before, kept, ask(false))
  const found = new Set([...(await list(dataDir, 'settings')), ...(await list(before, 'settings'))])
  expect(acknowledged.filter((name) => !found.has(name))).toEqual([])
  expect(await list(dataDir, 'leads')).toHaveLength(300)
})
