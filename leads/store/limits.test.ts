import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { hourMs } from '../time-units.ts'

const crowd = '203.0.113.7'

async function open() {
  const db = await openTestDatabase('sqlite')
  const store = async (count: number, changes: Parameters<typeof storeLead>[1] = {}) => {
    for (let stored = 0; stored < count; stored++)
      await storeLead(db, { clientAddress: crowd, recipients: [], ...changes })
  }
  const countMarked = async () =>
    (await db.kysely.selectFrom('leads').select('id').where('inBurst', '=', 1).execute()).length
  return { db, store, countMarked }
}

it('marks leads of a network from the 20th within an hour', async () => {
  const { store, countMarked } = await open()
  await store(10)
  await store(9, { clientAddress: '203.0.113.8' })
  expect(await countMarked()).toBe(0)
  await store(1, { clientAddress: '203.0.113.9' })
  expect(await countMarked()).toBe(1)
  await store(19, { clientAddress: '198.51.100.4' })
  expect(await countMarked()).toBe(1)
  await store(19, { at: testTime + hourMs })
  expect(await countMarked()).toBe(1)
  await store(20, { clientAddress: '2001:db8:1:2::/64' })
  expect(await countMarked()).toBe(2)
})

it('counts no suspected spam, no called leads, and none from the future', async () => {
  const { db, store, countMarked } = await open()
  await store(20, { suspect: 'trap' })
  await store(20, { at: testTime + 1 })
  await db.kysely.updateTable('leads').set({ inBurst: 0 }).execute()
  await store(19)
  expect(await countMarked()).toBe(0)
  await db.kysely.updateTable('leads').set({ status: 'calling' }).execute()
  await store(19, { at: testTime + 1 })
  expect(await countMarked()).toBe(0)
})

it('does not mark leads from an address that may be a proxy', async () => {
  const { store, countMarked } = await open()
  const local = ['127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.2', '100.64.3.4', '169.254.1.1']
  const others = ['unknown', '0:0:0:0::/64', 'fd00:0:0:0::/64', 'fe80:0:0:0::/64']
  for (const clientAddress of [...local, ...others]) {
    await store(20, { clientAddress })
    expect([clientAddress, await countMarked()]).toEqual([clientAddress, 0])
  }
})

it('does not mark leads if all visitors may share one address', async () => {
  const { store, countMarked } = await open()
  // This lead from another network is too old to show that visitors have separate IP addresses.
  await store(1, { clientAddress: '198.51.100.4', at: testTime - 48 * hourMs })
  await store(21, { mayShareAddress: true })
  expect(await countMarked()).toBe(0)
  await store(1, { clientAddress: '198.51.100.4' })
  await store(1, { mayShareAddress: true })
  expect(await countMarked()).toBe(1)
})
