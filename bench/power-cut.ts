import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '#server/database.ts'
import { startServer } from '#testing/processes.ts'
import { createRandom } from './random.ts'
import { startVisitors } from './visitors.ts'

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })
const imageMegabytes = 32

/** Needs root, mkfs and loop devices. */
export function canCutPower(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'power-'))
  try {
    makeDisk(dir)
    run('umount', join(dir, 'disk'))
    return true
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * The database lies on a file system of its own, in an image file. What the kernel still holds in
 * memory for that file system is not in the image: a copy of it is what a power cut would leave.
 */
export async function cutPower({
  seed,
  cuts,
  visitors: visitorCount,
}: {
  seed: number
  cuts: number
  visitors: number
}): Promise<{ acknowledged: number; lost: string[]; damaged: string[] }> {
  const random = createRandom(seed)
  const dir = mkdtempSync(join(tmpdir(), 'power-'))
  const { image, disk } = makeDisk(dir)
  const dataDir = join(disk, 'data')
  const server = startServer({ DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: '0' })
  const lost: string[] = []
  const damaged: string[] = []
  try {
    const url = await server.findUrl()
    const visitors = startVisitors({
      count: visitorCount,
      listUrls: () => [url],
      random,
      pauseMs: 20,
    })
    for (let cut = 0; cut < cuts; cut++) {
      await pause(50 + random() * 250)
      const acknowledged = visitors.leads.filter((lead) => lead.acknowledged)
      server.signal('SIGSTOP')
      const left = readFileSync(image)
      server.signal('SIGCONT')
      const found = await openAfterCut(join(dir, `cut-${cut}`), left)
      if (!found) damaged.push(`cut ${cut}: the database does not open whole`)
      else
        for (const { name } of acknowledged)
          if (!found.has(name)) lost.push(`cut ${cut}: ${name} was acknowledged and is not there`)
    }
    await visitors.stop()
    return { acknowledged: visitors.acknowledged, lost, damaged }
  } finally {
    await server.kill('SIGKILL')
    run('umount', disk)
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The names of the leads that are there after the power is back; undefined when it is damaged. */
async function openAfterCut(dir: string, left: Uint8Array): Promise<Set<string> | undefined> {
  mkdirSync(dir)
  const image = join(dir, 'image')
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  writeFileSync(image, left)
  run('mount', '-o', 'loop', image, disk)
  try {
    const db = await openDatabase({ dataDir: join(disk, 'data') })
    try {
      const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(
        db.kysely,
      )
      if (check.rows[0]?.integrity_check !== 'ok') return undefined
      const leads = await db.kysely.selectFrom('leads').select('name').execute()
      return new Set(leads.map(({ name }) => name))
    } finally {
      await db.close()
    }
  } catch {
    return undefined
  } finally {
    run('umount', disk)
    rmSync(dir, { recursive: true, force: true })
  }
}

function makeDisk(dir: string): { image: string; disk: string } {
  const image = join(dir, 'image')
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  run('truncate', '-s', `${imageMegabytes}M`, image)
  run('mkfs.ext4', '-q', image)
  run('mount', '-o', 'loop', image, disk)
  return { image, disk }
}
