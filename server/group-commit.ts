import { type Kysely, sql } from 'kysely'
import type { Tables, Transact } from '#leads/store/tables.ts'

type Job = { run: Parameters<Transact>[0]; settle: PromiseWithResolvers<unknown> }

/**
 * SQLite has one writer, and its commit waits for the disk. Those that come together share one:
 * everyone still waits until theirs is on the disk, but not for everyone else's.
 */
export function createGroupCommit(kysely: Kysely<Tables>): Transact {
  const waiting: Job[] = []
  let committing = false

  async function commitWaiting() {
    committing = true
    while (waiting.length > 0) {
      // SQLite's calls do not wait, so no request is read during a commit: first those at the door.
      await new Promise((resolve) => setImmediate(resolve))
      await commit()
    }
    committing = false
  }

  async function commit() {
    let jobs: Job[] = waiting
    try {
      const outcomes = await kysely.transaction().execute(async (trx) => {
        // All of them, since a turn of Node's loop may be long: what is left over would wait for the next.
        jobs = waiting.splice(0)
        const outcomes: (() => void)[] = []
        for (const { run, settle } of jobs) {
          // A job that fails takes back its own rows and nobody else's.
          await sql`savepoint job`.execute(trx)
          try {
            const result = await run(trx)
            outcomes.push(() => settle.resolve(result))
          } catch (error) {
            await sql`rollback to job`.execute(trx).catch(() => {
              throw error
            })
            outcomes.push(() => settle.reject(error))
          }
          await sql`release job`.execute(trx)
        }
        return outcomes
      })
      for (const tell of outcomes) tell()
    } catch (error) {
      // Nothing of the group is stored (a full disk ends the whole transaction), so nobody is told it was.
      for (const { settle } of jobs.splice(0)) settle.reject(error)
    }
  }

  return (run) => {
    const settle = Promise.withResolvers<Awaited<ReturnType<typeof run>>>()
    waiting.push({ run, settle: settle as PromiseWithResolvers<unknown> })
    if (!committing) void commitWaiting()
    return settle.promise
  }
}
