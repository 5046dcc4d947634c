import { sql, type Transaction } from 'kysely'
import { expect, test } from 'vitest'
import type { Database, Tables } from '#leads/store/tables.ts'
import { openTestDatabase } from '#testing/database.ts'

async function open() {
  const db = await openTestDatabase('sqlite')
  return { db, transact: db.transact }
}

const store = (id: string) => async (trx: Transaction<Tables>) => {
  await trx.insertInto('settings').values({ name: id, value: '' }).execute()
  return id
}
const stored = async ({ kysely }: Database) =>
  (await kysely.selectFrom('settings').select('name').orderBy('name').execute()).map(
    ({ name }) => name,
  )

const outcomes = async (jobs: Promise<unknown>[]) =>
  (await Promise.allSettled(jobs)).map(({ status }) => status)

test('stores jobs that arrive together in one commit', async () => {
  const { db, transact } = await open()
  const ids = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, '0'))
  let inside = 0
  let most = 0
  const results = ids.map((id) =>
    transact(async (trx) => {
      inside += 1
      most = Math.max(most, inside)
      return store(id)(trx)
    }).finally(() => {
      inside -= 1
    }),
  )
  expect(await Promise.all(results)).toEqual(ids)
  expect(await stored(db)).toEqual(ids)
  expect(most).toBe(20)
})

test('rolls back only the rows of a failing job', async () => {
  const { db, transact } = await open()
  const failing = async (trx: Transaction<Tables>) => {
    await store('b')(trx)
    throw new Error('no')
  }
  const jobs = [transact(store('a')), transact(store('c')), transact(failing), transact(store('d'))]
  expect(await outcomes(jobs)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(await stored(db)).toEqual(['a', 'c', 'd'])
})

test('rejects every job when the whole transaction is rolled back', async () => {
  const { db, transact } = await open()
  const losing = async (trx: Transaction<Tables>) => {
    // SQLite does this when the disk is full.
    await sql`rollback`.execute(trx)
    throw new Error('disk full')
  }
  const jobs = [transact(store('a')), transact(losing), transact(store('b'))]
  await expect(jobs[1]).rejects.toThrow('disk full')
  expect(await outcomes(jobs)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await stored(db)).toEqual([])
  expect(await transact(store('d'))).toBe('d')
})
