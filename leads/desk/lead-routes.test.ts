import { expect, it } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openDelivery, sendWell } from '#testing/delivery.ts'
import { openTestDesk } from '#testing/desk.ts'
import { listLeads, storeLead, testTime } from '#testing/saved-leads.ts'
import { acquire, release } from '../store/claims.ts'
import { findLead } from '../store/find-leads.ts'
import type { Database } from '../store/tables.ts'
import { hourMs } from '../time-units.ts'

async function open(...options: Parameters<typeof openTestDesk>) {
  const desk = await openTestDesk(...options)
  const erase = (id: string, { name = 'Jane Doe', ...more }: Record<string, unknown> = {}) =>
    desk.call('DELETE', `/api/leads/${id}`, { cookie: desk.cookie, body: { name, ...more } })
  return { ...desk, erase }
}

const send = (db: Database) => openDelivery(db, sendWell).deliver()
const airtableEnv = { AIRTABLE_TOKEN: 't', AIRTABLE_BASE_ID: 'b' }
const unavailable = { error: { code: 'not-erased' } }

it.each(engines)('erases a lead here and in Airtable, and no other, on %s', async (engine) => {
  const airtable = await startAirtable()
  const { db, erase, clock } = await open(engine, { env: airtable.fake.env })
  const [gone, stays] = [await storeLead(db), await storeLead(db)]
  await airtable.send(await listLeads(db, { limit: 10 }))
  await send(db)
  clock.at += 60_000
  expect((await erase(gone)).json.message).toContain('Erased here and in Airtable.')
  expect(await findLead(db, gone)).toBeUndefined()
  expect(await findLead(db, stays)).toBeDefined()
  expect(airtable.fake.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays])
  const next = { holder: 'site', now: clock.at, until: clock.at + 1 }
  expect(await acquire(db, 'airtable', next)).toBeDefined()
})

it('retries the pending deliveries of one lead or of all leads', async () => {
  const { db, post, clock, wakes } = await open('sqlite', { env: airtableEnv })
  const save = () => storeLead(db, { recipients: ['airtable'] })
  const [one, other] = [await save(), await save()]
  const laterAt = testTime + hourMs
  await db.kysely.updateTable('deliveries').set({ nextAttemptAt: laterAt }).execute()
  const readDue = async (id: string) => (await findLead(db, id))?.deliveries[0]?.nextAttemptAt
  await post(`/api/leads/${one}/retry`)
  expect([await readDue(one), await readDue(other)]).toEqual([clock.at, laterAt])
  expect((await post('/api/retry')).json).toEqual({ retried: 2 })
  expect(await readDue(other)).toBe(clock.at)
  expect(wakes).toHaveLength(2)
})

it('mentions no messages that wait for a channel that is not set up', async () => {
  const db = await openTestDatabase('sqlite')
  const desk = await openTestDesk(db)
  const id = await storeLead(db, { recipients: ['airtable', 'push-1'] })
  desk.clock.at += hourMs
  const readAll = async ({ get, post }: typeof desk) => {
    const { lead } = await get(`/api/leads/${id}`)
    const { text } = await post('/api/spreadsheet', {})
    return JSON.stringify([lead.deliveries, text])
  }
  expect(await readAll(desk)).not.toContain('irtable')
  expect(await readAll(desk)).toContain('Push notification')
  expect((await desk.post('/api/retry')).json).toEqual({ retried: 1 })
  const connected = await openTestDesk(db, { env: airtableEnv })
  connected.clock.at = desk.clock.at
  expect((await readAll(connected)).match(/Airtable/g)).toHaveLength(3)
})

it('erases nothing while Airtable is unavailable, unless the owner chooses “Erase here only”', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db)
  await send(db)
  const airtable = await startAirtable()
  const rejected = { ...airtable.fake.env, AIRTABLE_TOKEN: 'wrong' }
  const askDeveloper = 'Ask the person who set up this site to fix this'
  const token = { AIRTABLE_TOKEN: 't', AIRTABLE_BASE_ID: 'b' }
  const unreachable = { ...token, AIRTABLE_API_URL: 'http://127.0.0.1:1' }
  for (const [env, reason] of [
    [unreachable, 'couldn’t be reached'],
    [rejected, `Airtable denied the site access\\. ${askDeveloper}\\.$`],
    [{}, 'no longer connected'],
  ] as const) {
    const { erase, clock } = await open(db, { env })
    clock.at += 60_000
    const refused = await erase(id)
    expect(refused).toMatchObject({ status: 409, json: unavailable })
    expect(refused.message).toMatch(new RegExp(`^The lead wasn’t erased\\. .*${reason}`))
    expect(await findLead(db, id)).toBeDefined()
  }
  const { erase } = await open(db)
  expect((await erase(id, { name: 'Jane', hereOnly: true })).status).toBe(400)
  expect((await erase(id, { hereOnly: true })).json.message).toMatch(`Lead ID ${id} by hand`)
  expect(await findLead(db, id)).toBeUndefined()
})

it('erases a lead after its name is typed, and then returns 404', async () => {
  const { db, call, cookie, get, erase } = await open()
  const id = await storeLead(db)
  for (const name of ['Jane', 7]) expect((await erase(id, { name })).status).toBe(400)
  for (const [name, shown, typed] of [
    ['Jane Doe', 'Jane Doe', '  jane   DOE '],
    ['Ja\u200Dne\u200B \u2067Doe\u00AD', 'Jane Doe', 'Jane Doe'],
    ['\u200D\u2800', '(555) 123-4567', '(555) 123-4567'],
    // Phones type this apostrophe; many keyboards have neither it nor the accent.
    ['José O’Brien', 'José O’Brien', "jose o'brien"],
  ] as const) {
    const lead = await storeLead(db, { lead: { name } })
    expect((await get(`/api/leads/${lead}`)).lead.name.replace('\u200D', '')).toBe(shown)
    expect((await erase(lead, { name: typed })).json).toEqual({ message: 'Erased.' })
    const body = { id: 'a-late-press', kind: 'called' }
    for (const path of ['', '/retry', '/events']) {
      const asked = await call(path ? 'POST' : 'GET', `/api/leads/${lead}${path}`, {
        cookie,
        ...(path && { body }),
      })
      expect([asked.status, asked.message]).toEqual([404, 'This lead was erased.'])
    }
  }
})

it('waits until the site has stopped sending, so that no row arrives after the deletion', async () => {
  const { db, erase, clock } = await open()
  const id = await storeLead(db)
  const lease = { holder: 'site', now: clock.at, until: clock.at + 600_000 }
  await acquire(db, 'airtable', lease)
  expect(await erase(id)).toMatchObject({ status: 409, json: unavailable })
  expect(await findLead(db, id)).toBeDefined()
  await release(db, 'airtable', 'site', 0)
  expect((await erase(id)).json).toEqual({ message: 'Erased.' })
})

it('reports that it erased a lead, even if it then cannot let the site send again', async () => {
  const airtable = await startAirtable()
  const db = await openTestDatabase('sqlite')
  const { erase, clock, log } = await open(db, {
    env: airtable.fake.env,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (init?.method === 'DELETE')
        await db.kysely.schema.alterTable('recipients').renameTo('away').execute()
      return response
    },
  })
  const id = await storeLead(db)
  await airtable.send(await listLeads(db, { limit: 1 }))
  await send(db)
  clock.at += 60_000
  expect((await erase(id)).json.message).toContain('Erased here and in Airtable.')
  expect(await findLead(db, id)).toBeUndefined()
  expect(log.entries).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'the lease was not released' }),
  )
})
