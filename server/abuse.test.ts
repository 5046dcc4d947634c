import { expect, it } from 'vitest'
import { dayMs, minuteMs } from '#leads/time-units.ts'
import { createTestApp } from '#testing/app.ts'
import { createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { countLeads } from '#testing/saved-leads.ts'
import { openDatabase } from './database.ts'

const from = (address: string) => ({ 'test-client': address })

it.each([
  ['a client', 100, 1, () => '198.51.100.7', '198.51.100.8'],
  // A network may send five times as many leads as a client, per minute and per day.
  ['a network', 500, 5, (at: number) => `198.51.100.${at % 250}`, '198.51.101.1'],
])(
  'limits %s per day, so a slow flood cannot fill the disk',
  async (_, perDay, perMinute, chooseAddress, other) => {
    const db = await openTestDatabase('sqlite')
    const { post, clock } = createTestApp(db, { env: { rateLimitPerMinute: 1 } })
    const send = async (address: string) => (await post(from(address))).status
    const startedAt = clock.at
    expect(await send(chooseAddress(0))).toBe(200)
    // Insert copies of the first lead instead of sending them.
    const first = await db.kysely.selectFrom('leads').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: perDay - 2 }, (_, at) => ({
      ...first,
      id: String(at),
      receivedAt: startedAt + ((at + 1) * minuteMs) / perMinute,
      clientAddress: chooseAddress(at),
    }))
    await db.kysely.insertInto('leads').values(rows).execute()
    clock.at += (perDay / perMinute) * minuteMs
    expect(await send(chooseAddress(1))).toBe(200)
    clock.at += minuteMs
    expect(await send(chooseAddress(2))).toBe(429)
    expect(await send(other)).toBe(200)
    clock.at = startedAt + dayMs
    expect(await send(chooseAddress(3))).toBe(200)
  },
)

it.each(engines)(
  'limits a burst from many addresses in one network across processes, on %s',
  async (engine) => {
    const location = await createLocation(engine)
    const databases = [await openDatabase(location), await openDatabase(location)]
    const apps = databases.map((db) => createTestApp(db, { env: { rateLimitPerMinute: 2 } }))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => apps[at % 2]?.post(from(`198.51.100.${at}`))),
    )
    // This is five times the limit on one IP address.
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(10)
    for (const answer of answers)
      if (answer?.status !== 200) expect(answer).toMatchObject({ status: 429, retryAfter: 60 })
    expect((await apps[0]?.post(from('198.51.101.1')))?.status).toBe(200)
    for (const db of databases) await db.close()
  },
)

it('serves other visitors while one address has many leads in flight', async () => {
  // Use PostgreSQL, where each waiting lead would hold a connection.
  const { post } = createTestApp(await openTestDatabase('postgres'))
  const flood = Array.from({ length: 200 }, () => post(from('198.51.100.1')))
  const others = Array.from({ length: 20 }, (_, at) => post(from(`203.0.${at}.1`)))
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(20).fill(200))
  const answers = await Promise.all(flood)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  for (const { status, retryAfter } of answers)
    if (status !== 200) expect([status, retryAfter > 0]).toEqual([429, true])
})

it('accepts as many leads from one network at the same time as the limit allows', async () => {
  const { post } = createTestApp(await openTestDatabase('sqlite'), {
    env: { rateLimitPerMinute: 1_000 },
  })
  const answers = await Promise.all(Array.from({ length: 120 }, () => post()))
  expect(answers.map(({ status }) => status)).toEqual(Array(120).fill(200))
})

it('returns 503 with Retry-After if too many leads arrive at the same time, and recovers', async () => {
  const db = await openTestDatabase('sqlite')
  const { post, log } = createTestApp(db, { env: { rateLimitPerMinute: 0 } })
  const answers = await Promise.all(Array.from({ length: 510 }, () => post()))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused)
    expect(answer).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 })
  expect(await countLeads(db)).toBe(510 - refused.length)
  expect((await post()).status).toBe(200)
  const logged = log.entries.filter(({ message }) => /same time|all leads again/.test(message))
  expect(logged.map(({ level }) => level)).toEqual(['error', 'info'])
})
