import { type Kysely, sql } from 'kysely'
import type { Tables, Transact } from '#leads/store/tables.ts'

type Job = { run: Parameters<Transact>[0]; settle: PromiseWithResolvers<unknown> }

/**
 * SQLite has one writer, and each commit waits for the disk. Jobs that arrive together share one
 * commit; each still resolves only after its rows are on disk.
 */
export function createGroupCommit(kysely: Kysely<Tables>): Transact {
  const waiting: Job[] = []
  let committing = false

  async function commitWaiting() {
    committing = true
    while (waiting.length > 0) {
      // SQLite's calls are synchronous, so Node reads no request during a commit: read pending ones first.
      await new Promise((resolve) => setImmediate(resolve))
      await commit()
    }
    committing = false
  }

  async function commit() {
    let jobs: Job[] = waiting
    try {
      const outcomes = await kysely.transaction().execute(async (trx) => {
        // Take all jobs: a turn of the event loop may be long, and the rest would wait for the next one.
        jobs = waiting.splice(0)
        const outcomes: (() => void)[] = []
        for (const { run, settle } of jobs) {
          // A failing job rolls back only its own rows.
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
      for (const report of outcomes) report()
    } catch (error) {
      // The whole group was rolled back (for example, the disk is full), so every job fails.
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
