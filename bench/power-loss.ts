import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { createRandom } from '#fakes/random.ts'
import { openDatabase } from '#server/database.ts'
import { startServer } from '#testing/processes.ts'
import { startVisitors } from './visitors.ts'

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })

/** Returns true if root, mkfs.ext4, and loop devices are available. */
export function canCutPower(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'power-'))
  try {
    run('umount', makeDisk(dir).disk)
    return true
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * Runs a server whose database is on a file system inside an image file. The image lacks the writes that
 * the kernel has not synced, so a copy of it matches the disk after a power loss.
 */
export async function cutPower(seed: number, cuts: number) {
  const random = createRandom(seed)
  const dir = mkdtempSync(join(tmpdir(), 'power-'))
  const { image, disk } = makeDisk(dir)
  const server = startServer({ DATA_DIR: join(disk, 'data'), RATE_LIMIT_PER_MINUTE: '0' })
  const lost: string[] = []
  const damaged: string[] = []
  try {
    const url = await server.findUrl()
    const visitors = startVisitors({ count: 4, listUrls: () => [url], random, pauseMs: 20 })
    for (let cut = 0; cut < cuts; cut++) {
      await pause(50 + random() * 250)
      const acknowledged = visitors.listAcknowledged()
      server.signal('SIGSTOP')
      const remaining = readFileSync(image)
      server.signal('SIGCONT')
      const found = await openAfterCut(join(dir, `cut-${cut}`), remaining)
      if (!found) damaged.push(`cut ${cut}: the database is damaged`)
      else
        for (const { name } of acknowledged)
          if (!found.has(name)) lost.push(`cut ${cut}: ${name} was acknowledged and is missing`)
    }
    await visitors.stop()
    return { acknowledged: visitors.listAcknowledged().length, lost, damaged }
  } finally {
    await server.kill('SIGKILL')
    run('umount', disk)
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Returns the names of the stored leads, or undefined if the database is damaged. */
async function openAfterCut(dir: string, content: Uint8Array): Promise<Set<string> | undefined> {
  mkdirSync(dir)
  const { disk } = makeDisk(dir, content)
  const db = await openDatabase({ dataDir: join(disk, 'data') }).catch(() => undefined)
  try {
    if (!db) return undefined
    const check = sql<{ integrity_check: string }>`pragma integrity_check`
    const [found] = (await check.execute(db.kysely)).rows
    if (found?.integrity_check !== 'ok') return undefined
    const leads = await db.kysely.selectFrom('leads').select('name').execute()
    return new Set(leads.map(({ name }) => name))
  } catch {
    return undefined
  } finally {
    await db?.close()
    run('umount', disk)
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Mounts a new disk, or one with the given content. */
function makeDisk(dir: string, content?: Uint8Array): { image: string; disk: string } {
  const image = join(dir, 'image')
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  if (content) writeFileSync(image, content)
  else {
    run('truncate', '-s', '32M', image)
    run('mkfs.ext4', '-q', image)
  }
  run('mount', '-o', 'loop', image, disk)
  return { image, disk }
}
