import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultSaveTimeoutMs } from '#leads/http/accept-lead.ts'
import { countLeads } from '#leads/store/reading.ts'
import { createTestApp, postLead, testLead } from '#testing/app.ts'
import { createLocation } from '#testing/database.ts'
import { spawnServer } from '#testing/server-process.ts'
import { openDatabase } from './database.ts'

describe('PostgreSQL', () => {
  it('answers every visitor within 8 s while the tables are locked', async () => {
    const location = await createLocation('postgres')
    const db = await openDatabase(location)
    onTestFinished(() => db.close())
    const { post, log } = createTestApp(db, { saveTimeoutMs: defaultSaveTimeoutMs })
    const other = new pg.Client({ connectionString: location.databaseUrl })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('begin; lock table leads in access exclusive mode')
    // Counts only the time in which this process had the CPU.
    let passedMs = 0
    const clock = setInterval(() => {
      passedMs += 100
    }, 100)
    onTestFinished(() => clearInterval(clock))
    const visit = async (network: number) => {
      const answer = await post({ 'test-client': `203.0.${network}.1` })
      return { ...answer, toldAtMs: passedMs }
    }
    // More visits than connections, and several per network.
    const visits = Array.from({ length: 24 }, (_, at) => visit(at % 12))
    for (const { status, retryAfter, toldAtMs } of await Promise.all(visits)) {
      expect([status, retryAfter]).toEqual([503, 5])
      expect(toldAtMs).toBeLessThan(8_000)
    }
    expect(JSON.stringify(log.entries)).toContain('cannot store leads')
    await other.query('rollback')
    expect((await post()).status).toBe(200)
  })

  it('stores a lead even if the process is blocked while connecting', async () => {
    const db = await openDatabase(await createLocation('postgres'))
    onTestFinished(() => db.close())
    const { post } = createTestApp(db, { saveTimeoutMs: defaultSaveTimeoutMs })
    const answer = post()
    // Blocks timers and sockets, as on an overloaded machine.
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000), 1)
    expect((await answer).status).toBe(200)
  })
})

describe('a disk that takes 200 ms to sync', () => {
  it.skipIf(!hasCompiler())(
    'slows down leads but loses none, and the page still loads',
    async () => {
      const { dataDir } = await createLocation('sqlite')
      const server = spawnServer({
        DATA_DIR: dataDir,
        RATE_LIMIT_PER_MINUTE: '0',
        LD_PRELOAD: compileSlowSync(dataDir),
      })
      const url = await server.findUrl()
      const post = async (name: string) => {
        const { status } = await postLead(url, { ...testLead, name })
        expect((await fetch(url)).status).toBe(200)
        return status
      }
      const startedAt = Date.now()
      const statuses = [await post('First')]
      // Confirms that the slow sync is in effect.
      expect(Date.now() - startedAt).toBeGreaterThan(200)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 20 }, (_, at) => post(`Lead ${at}`)))),
      )
      const taken = statuses.filter((status) => status === 200).length
      expect(statuses.filter((status) => status !== 503)).toHaveLength(taken)
      expect(taken).toBeGreaterThan(0)
      await server.kill('SIGKILL')
      const db = await openDatabase({ dataDir })
      onTestFinished(() => db.close())
      expect(await countLeads(db)).toBe(taken)
    },
  )
})

function hasCompiler(): boolean {
  return spawnSync('cc', ['--version']).status === 0
}

/** Compiles a library for LD_PRELOAD that makes every fsync slow. */
function compileSlowSync(dir: string): string {
  const source = join(dir, 'slow-sync.c')
  const library = join(dir, 'slow-sync.so')
  writeFileSync(
    source,
    `#include <unistd.h>
     #include <sys/syscall.h>
     int fdatasync(int fd) { usleep(200000); return syscall(SYS_fdatasync, fd); }
     int fsync(int fd) { usleep(200000); return syscall(SYS_fsync, fd); }`,
  )
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source])
  return library
}
