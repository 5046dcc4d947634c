import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Tables, Transact } from '#leads/store/tables.ts'

type Job = { run: Parameters<Transact>[0]; deferred: PromiseWithResolvers<unknown> }

/**
 * SQLite has one writer, and each commit waits for the disk. Jobs that arrive together share one
 * commit; each still resolves only after its rows are on disk. If `checkCommit` throws, all of them fail.
 */
export function createGroupCommit(kysely: Kysely<Tables>, checkCommit = () => {}): Transact {
  const waiting: Job[] = []
  let committing = false

  async function commitWaiting() {
    committing = true
    while (waiting.length > 0) {
      // Read pending requests first: SQLite's calls are synchronous, so Node reads none during a commit.
      await nextTurn()
      await commit()
    }
    committing = false
  }

  async function commit() {
    let jobs: Job[] = waiting
    try {
      const outcomes = await kysely.transaction().execute(async (trx) => {
        // Take the jobs only now, so that those that arrived while we waited for the lock are included.
        jobs = waiting.splice(0)
        const outcomes: (() => void)[] = []
        for (const { run, deferred } of jobs) {
          // A failing job rolls back only its own rows.
          await sql`savepoint job`.execute(trx)
          try {
            const result = await run(trx)
            outcomes.push(() => deferred.resolve(result))
          } catch (error) {
            await sql`rollback to job`.execute(trx).catch(() => {
              throw error
            })
            outcomes.push(() => deferred.reject(error))
          }
          await sql`release job`.execute(trx)
        }
        return outcomes
      })
      checkCommit()
      for (const report of outcomes) report()
    } catch (error) {
      // Reject all jobs, because none is durable: the transaction was rolled back, such as on a full disk, or the file
      // is gone.
      for (const { deferred } of jobs.splice(0)) deferred.reject(error)
    }
  }

  return (run) => {
    const deferred = Promise.withResolvers<Awaited<ReturnType<typeof run>>>()
    waiting.push({ run, deferred: deferred as PromiseWithResolvers<unknown> })
    if (!committing) void commitWaiting()
    return deferred.promise
  }
}
