import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { createRandom } from '#fakes/random.ts'
import { openDatabase } from '#server/database.ts'
import { startServer, waitUntil } from '#testing/processes.ts'
import { startVisitors } from './visitors.ts'

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })

/** Returns true if this process is root and can use mkfs.ext4 and loop devices. */
export function canCutPower(): boolean {
  try {
    mountDisk()[Symbol.dispose]()
    return true
  } catch {
    return false
  }
}

/**
 * Runs a server whose database is on a file system inside an image file. Writes that the kernel has not synced are
 * missing from the image, so a copy of it is like a disk after a power loss.
 */
export async function cutPower(seed: number, cuts: number) {
  const random = createRandom(seed)
  using disk = mountDisk()
  await using server = startServer({ DATA_DIR: disk.dataDir, RATE_LIMIT_PER_MINUTE: '0' })
  const url = await server.findUrl()
  const visitors = startVisitors({ count: 4, listUrls: () => [url], random, pauseMs: 20 })
  const lost: string[] = []
  const damaged: string[] = []
  for (let cut = 0; cut < cuts; cut++) {
    const before = visitors.listAcknowledged().length
    await waitUntil(() => visitors.listAcknowledged().length > before + 1)
    await pause(random() * 250)
    const acknowledged = visitors.listAcknowledged()
    server.signal('SIGSTOP')
    const remaining = readFileSync(disk.image)
    server.signal('SIGCONT')
    const found = await readAfterCut(remaining).catch(() => undefined)
    if (!found) damaged.push(`cut ${cut}: the database is damaged`)
    else
      for (const { name } of acknowledged)
        if (!found.has(name)) lost.push(`cut ${cut}: ${name} was acknowledged and is missing`)
  }
  await visitors.stop()
  return { acknowledged: visitors.listAcknowledged().length, lost, damaged }
}

/** Returns the names of the stored leads. Throws an error if the database is damaged. */
async function readAfterCut(content: Uint8Array): Promise<Set<string>> {
  using disk = mountDisk(content)
  const db = await openDatabase({ dataDir: disk.dataDir })
  try {
    const check = sql<{ integrityCheck: string }>`pragma integrity_check`
    const [found] = (await check.execute(db.kysely)).rows
    if (found?.integrityCheck !== 'ok') throw new Error(found?.integrityCheck)
    const leads = await db.kysely.selectFrom('leads').select('name').execute()
    return new Set(leads.map(({ name }) => name))
  } finally {
    await db.close()
  }
}

/** Mounts a new disk, or one with the given content. */
function mountDisk(content?: Uint8Array) {
  using made = new DisposableStack()
  const dir = made.use(mkdtempDisposableSync(join(tmpdir(), 'power-'))).path
  const image = join(dir, 'image')
  const disk = join(dir, 'disk')
  mkdirSync(disk)
  if (content) writeFileSync(image, content)
  else {
    run('truncate', '-s', '32M', image)
    run('mkfs.ext4', '-q', image)
  }
  run('mount', '-o', 'loop', image, disk)
  made.defer(() => run('umount', disk))
  const mounted = made.move()
  return { image, dataDir: join(disk, 'data'), [Symbol.dispose]: () => mounted.dispose() }
}
