import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sendToAirtable } from '#leads/airtable/send.ts'
import { acquireChannel, releaseChannel } from '#leads/store/channel-leases.ts'
import { claimDue } from '#leads/store/deliveries.ts'
import { findLead, listLeads } from '#leads/store/reading.ts'
import { openDatabase } from '#server/database.ts'
import { createCommandLine, deliver, fail, save, startAirtable } from '#testing/command-line.ts'
import { createDir, engines, openTestDatabase } from '#testing/database.ts'
import { testTime } from '#testing/saved-leads.ts'

test.each(engines)('forgets the lead here and in Airtable, and no other, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const { standIn, settings } = await startAirtable()
  const line = createCommandLine(db)
  line.state.airtable = settings
  const [gone, stays] = [await save(db), await save(db)]
  const leads = await listLeads(db, { limit: 10 })
  await sendToAirtable(leads, settings, { fetch, pause: line.pause })
  await deliver(db, () => ({ ok: true }))
  const { code, out } = await line.run('erase', gone, '--yes')
  expect(code).toBe(0)
  expect(out).toContain('Erased in Airtable: 1 row.')
  expect(await findLead(db, gone)).toBeUndefined()
  expect(await findLead(db, stays)).toBeDefined()
  expect(standIn.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays])
  const next = { holder: 'site', now: line.now(), until: line.now() + 1 }
  expect(await acquireChannel(db, 'airtable', next)).toBe(true)
})

test('forgets nothing while Airtable cannot be reached, and says what to do', async () => {
  const db = await openTestDatabase('sqlite')
  const line = createCommandLine(db)
  const id = await save(db)
  await deliver(db, () => ({ ok: true }))
  const erase = () => line.run('erase', id, '--yes')
  const apiUrl = 'http://127.0.0.1:1'
  line.state.airtable = { token: 't', baseId: 'b', table: 'Leads', apiUrl }
  const unreachable = /Nothing was erased here.*could not be reached.*--store-only/
  expect(await erase()).toMatchObject(fail(unreachable))
  line.state.airtable = undefined
  expect(await erase()).toMatchObject(fail('AIRTABLE_TOKEN'))
  expect(await findLead(db, id)).toBeDefined()
  expect((await line.run('erase', id, '--yes', '--store-only')).out).toContain('by hand')
  expect(await findLead(db, id)).toBeUndefined()
})

test('waits for the site to finish sending, so that no row arrives behind its back', async () => {
  const db = await openTestDatabase('sqlite')
  const line = createCommandLine(db)
  const id = await save(db)
  const lease = { holder: 'site', now: line.now(), until: line.now() + 600_000 }
  await acquireChannel(db, 'airtable', lease)
  expect(await line.run('erase', id, '--yes')).toMatchObject(fail('Nothing was erased'))
  expect(await findLead(db, id)).toBeDefined()
  await releaseChannel(db, 'airtable', 'site', 0)
  expect((await line.run('erase', id, '--yes')).code).toBe(0)
})

test('asks at a terminal, and refuses to guess without one', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await save(db)
  expect(await createCommandLine(db).run('erase', id)).toMatchObject(fail('--yes', 2))
  const no = createCommandLine(db, { ask: async () => 'y' })
  expect(await no.run('erase', id)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/Jane Doe[\s\S]*Nothing was erased/),
  })
  expect(await findLead(db, id)).toBeDefined()
  const yes = createCommandLine(db, { ask: async () => ' YES\n' })
  expect((await yes.run('erase', id)).code).toBe(0)
  expect(await findLead(db, id)).toBeUndefined()
})

test('says which alerts cannot be called back', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await save(db, {}, ['email'])
  const now = testTime + 20 * 3_600_000
  await claimDue(db, 'email', 10, { holder: 'site', now, until: now + 1 })
  expect((await createCommandLine(db).run('erase', id, '--yes')).out).toContain(
    'Alerts cannot be called back: email.',
  )
})

test('erased means erased: the embedded database’s files hold no trace', async () => {
  const dataDir = createDir()
  const db = await openDatabase({ dataDir })
  onTestFinished(() => db.close())
  const id = await save(db, { email: 'forget-me@example.com', address: 'Vanishing Lane 7' })
  await save(db)
  const holdsTrace = () =>
    readdirSync(dataDir).some((file) =>
      /forget-me|Vanishing/.test(readFileSync(join(dataDir, file), 'latin1')),
    )
  expect(holdsTrace()).toBe(true)
  expect((await createCommandLine(db).run('erase', id, '--yes')).code).toBe(0)
  expect(holdsTrace()).toBe(false)
})
