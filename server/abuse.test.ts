import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChannels } from '#leads/delivery/channels.ts'
import { countLeads } from '#leads/store/reading.ts'
import { createTestApp } from '#testing/app.ts'
import { createDir, createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { storedJane, testTime } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { startTestSite } from '#testing/site.ts'
import { connectionLimits } from './connection-limits.ts'
import { openDatabase } from './database.ts'

const minuteMs = 60_000
const from = (address: string) => ({ 'test-client': address })

describe.each(engines)('limits on %s', (engine) => {
  it.each([
    ['a client', 100, 1, () => '198.51.100.7', '198.51.100.8'],
    // Five a minute are a network's share, and five hundred a day.
    ['a network', 500, 5, (at: number) => `198.51.100.${at % 250}`, '198.51.101.1'],
  ])(
    'hold for %s and a day, so that neither patience nor many addresses fill the disk',
    async (_, perDay, perMinute, chooseAddress, other) => {
      const db = await openTestDatabase(engine)
      const { post, clock } = createTestApp(db, { rateLimitPerMinute: 1 })
      const send = async (address: string) => (await post(from(address))).status
      const startedAt = clock.at
      expect(await send(chooseAddress(0))).toBe(200)
      // As if the first had come so many times more, one after the other.
      const first = await db.kysely.selectFrom('leads').selectAll().executeTakeFirstOrThrow()
      const rows = Array.from({ length: perDay - 2 }, (_, at) => ({
        ...first,
        id: String(at),
        received_at: startedAt + ((at + 1) * minuteMs) / perMinute,
        client_address: chooseAddress(at),
      }))
      await db.kysely.insertInto('leads').values(rows).execute()
      clock.at += (perDay / perMinute) * minuteMs
      expect(await send(chooseAddress(1))).toBe(200)
      clock.at += minuteMs
      expect(await send(chooseAddress(2))).toBe(429)
      expect(await send(other)).toBe(200)
      clock.at = startedAt + 24 * 60 * minuteMs
      expect(await send(chooseAddress(3))).toBe(200)
    },
  )

  it('hold across processes, in a burst of many addresses of one network', async () => {
    const location = await createLocation(engine)
    const databases = [await openDatabase(location), await openDatabase(location)]
    const apps = databases.map((db) => createTestApp(db, { rateLimitPerMinute: 2 }))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => apps[at % 2]?.post(from(`198.51.100.${at}`))),
    )
    // Five times the limit of one address.
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(10)
    for (const answer of answers)
      if (answer?.status !== 200) expect(answer).toMatchObject({ status: 429, retryAfter: 60 })
    expect((await apps[0]?.post(from('198.51.101.1')))?.status).toBe(200)
    for (const db of databases) await db.close()
  })

  it('leave everyone else alone while one address has 600 leads in flight', async () => {
    const { post } = createTestApp(await openTestDatabase(engine))
    const flood = Array.from({ length: 600 }, () => post(from('198.51.100.1')))
    const others = Array.from({ length: 20 }, (_, at) => post(from(`203.0.${at}.1`)))
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(20).fill(200))
    const answers = await Promise.all(flood)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    for (const { status, retryAfter } of answers)
      if (status !== 200) expect([status, retryAfter > 0]).toEqual([429, true])
  })

  it('answer 503 with Retry-After beyond what can be stored at once, and go on', async () => {
    const db = await openTestDatabase(engine)
    const { post, log } = createTestApp(db, { rateLimitPerMinute: 0 })
    const answers = await Promise.all(Array.from({ length: 600 }, () => post()))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 503, code: 'overloaded', retryAfter: 5 })
    expect(await countLeads(db)).toBe(600 - refused.length)
    expect((await post()).status).toBe(200)
    const said = log.entries.filter(({ message }) => /at once|taken again/.test(message))
    expect(said.map(({ level }) => level)).toEqual(['error', 'info'])
  })
})

// macOS has one loopback address only.
it.skipIf(process.platform === 'darwin')(
  'one address cannot take all of the server’s connections',
  async () => {
    const dataDir = createDir()
    const { hostname, port } = new URL((await startTestSite({ DATA_DIR: dataDir })).url)
    const open = () => connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' })
    const held = Array.from({ length: connectionLimits.connectionsPerClient }, open)
    onTestFinished(() => {
      for (const socket of held) socket.destroy()
    })
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    // The server may see the last before one of the others: any that is refused will do.
    const refused = [...held, open()].map((socket) => once(socket, 'data'))
    expect(String(await Promise.any(refused))).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n/)
    expect((await fetch(`http://${hostname}:${port}`)).status).toBe(200)
  },
  30_000,
)

it('no lead can steer where it is sent', async () => {
  const db = await openTestDatabase('sqlite')
  const settings = makeSettings({
    AIRTABLE_TOKEN: 'token',
    AIRTABLE_BASE_ID: 'base',
    ALERT_WEBHOOK_URL: 'https://hooks.example/one?two=3',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 'secret',
    TWILIO_FROM: '+15550001111',
    ALERT_SMS_TO: '+15550002222',
  })
  const calls: { url: URL; init: RequestInit | undefined }[] = []
  const fetch = (async (url: string | URL, init?: RequestInit) => {
    calls.push({ url: new URL(url), init })
    return new Response('{"records":[]}', { status: 200 })
  }) as typeof globalThis.fetch
  const pause = async () => {}
  const channels = createChannels(settings, { db, fetch, pause, now: () => testTime })
  const hostile = [
    ...['https://evil.example/', '//evil.example', '@evil.example', '../../x', '\0\uD800'],
    ...['\r\nHost: evil.example', '<https://evil.example|Call>', '+19005550000'],
    '&To=%2B19005550000',
  ]
  for (const text of hostile) {
    calls.length = 0
    const lead = { ...storedJane, name: text, email: text, phone: text, address: text }
    const { signal } = new AbortController()
    for (const channel of channels)
      if (!channel.name.startsWith('escalation'))
        await channel.send([{ lead, occasion: 'received', attempts: 1 }], signal)
    const addresses = calls.map(({ url }) => url.origin + url.pathname)
    expect([...new Set(addresses)].sort()).toEqual([
      'https://api.airtable.com/v0/base/Leads',
      'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
      'https://hooks.example/one',
    ])
    for (const { url, init } of calls) {
      expect(init?.redirect).toBe('manual')
      if (url.host === 'hooks.example') expect(url.search).toBe('?two=3')
      if (url.host === 'api.twilio.com')
        expect(new URLSearchParams(String(init?.body)).getAll('To')).toEqual(['+15550002222'])
    }
  }
})
