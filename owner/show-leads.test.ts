import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Occasion } from '#leads/channel.ts'
import { settleDeliveries } from '#leads/store/deliveries.ts'
import { findLead } from '#leads/store/reading.ts'
import { recordAnswer } from '#leads/store/reminders.ts'
import { writeDeliveries } from '#leads/store/tables.ts'
import { createCommandLine, deliver, fail, insertLeads, save } from '#testing/command-line.ts'
import { createDir, engines, openTestDatabase } from '#testing/database.ts'
import { jane, testTime } from '#testing/saved-leads.ts'
import { measureText } from './terminal.ts'

test('the list shows the newest first, whether somebody has called, and each delivery', async () => {
  const db = await openTestDatabase('sqlite')
  const first = await save(db, { name: 'First Lead' })
  await deliver(db, () => ({ ok: true }))
  const answeredAt = ((await findLead(db, first))?.receivedAt ?? 0) + 150_000
  await recordAnswer(db, first, { answeredAt, answeredBy: 'link', now: answeredAt })
  const second = await save(db, { name: 'Second Lead', serviceType: '' })
  await deliver(db, () => ({ ok: false, error: 'Airtable answered 503.' }))
  const third = await save(db, { name: 'Third Lead' }, ['airtable', 'email'])
  const { code, out } = await createCommandLine(db).run()
  expect(code).toBe(0)
  const lines = out.split('\n')
  expect(lines[1]).toMatch(`${third.slice(0, 8)}  Nov 15, 12:`)
  expect(lines[1]).toMatch(/NOT YET +airtable waits, email waits/)
  expect(lines[2]).toContain(second.slice(0, 8))
  expect(lines[2]).toContain('airtable waits (tried 1×)')
  expect(lines[3]).toContain(first.slice(0, 8))
  expect(lines[3]).toMatch(/Roof Repair +2 min +airtable ✓/)
  expect(out).toContain('3 leads wait for airtable')
  expect(out).toContain('Last error: Airtable answered 503.')
  expect(out).toContain('Airtable is not set up')
})

test('--limit and --json do what they say, also without leads', async () => {
  const db = await openTestDatabase('sqlite')
  const { run } = createCommandLine(db)
  expect((await run()).out).toContain('No leads yet.')
  expect(JSON.parse((await run('--json')).out)).toEqual({ total: 0, leads: [] })
  for (let lead = 0; lead < 3; lead++) await save(db)
  const { out } = await run('--limit', '2')
  expect(out).toContain('The latest 2 of 3 leads; --limit 3 shows all.')
  const json = JSON.parse((await run('--json', '--limit', '2')).out)
  expect(json).toMatchObject({ total: 3, leads: [{ name: 'Jane Doe' }, { email: jane.email }] })
  expect(json.leads[0].receivedAt).toMatch(/^2026-11-15T\d\d:\d\d:00\.000Z$/)
  expect(json.leads[0].deliveries).toMatchObject([{ channel: 'airtable', state: 'waiting' }])
})

test.each(engines)(
  'a unique beginning of the ID finds the lead; an ambiguous or unknown one is said so, on %s',
  async (engine) => {
    const db = await openTestDatabase(engine)
    const id = await save(db)
    const twin = `${id.slice(0, 35)}${id.endsWith('0') ? '1' : '0'}`
    const { run } = createCommandLine(db)
    expect((await run('show', id.slice(0, 6).toUpperCase())).out).toContain(id)
    expect(JSON.parse((await run('show', id, '--json')).out)).toMatchObject({ id, ...jane })
    await insertLeads(db, [{ id: twin, receivedAt: testTime }])
    expect(await run('show', id.slice(0, 10))).toMatchObject(fail('Several leads'))
    expect((await run('show', id)).code).toBe(0)
    expect(await run('show', "no'such%")).toMatchObject(fail('There is no lead'))
  },
)

test('show tells the whole story of a delivery', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await save(db)
  await deliver(db, () => ({ ok: false, error: 'Airtable did not answer in time.' }))
  const { run, now } = createCommandLine(db)
  const waiting = (await run('show', id)).out
  expect(waiting).toMatch(/airtable\s+waits \(tried 1 time\), next try 2026-11-1\d/)
  expect(waiting).toContain('Last error: Airtable did not answer in time.')
  const settled = { leadId: id, occasion: 'received', ok: true } as const
  const note = 'Airtable does not take Phone.'
  await settleDeliveries(db, 'airtable', [{ ...settled, note }], { holder: 'site', now: now() })
  const sent = (await run('show', id)).out
  expect(sent).toMatch(/airtable\s+sent 2026-11-16 12:00/)
  expect(sent).toContain(note)
})

test('show says what each delivery is about', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await save(db, {}, [])
  const words = {
    received: 'not sent',
    answered: 'the answer, not sent',
    status: 'the Status, not sent',
    outcome: 'what became of it, not sent',
    missed: 'promise missed, not sent',
    'unanswered-4': 'reminder after 4 min, not sent',
  }
  for (const occasion of Object.keys(words) as Occasion[])
    await writeDeliveries(db.kysely, { leadId: id, channels: ['airtable'], occasion }, testTime)
  await db.kysely.updateTable('deliveries').set({ state: 'cancelled' }).execute()
  const { out } = await createCommandLine(db).run('show', id)
  const said = [...out.matchAll(/^airtable +(.+)$/gm)].map(([, what]) => what)
  expect(said.sort()).toEqual(Object.values(words).sort())
})

test('where a lead came from stands in list, show and export', async () => {
  const db = await openTestDatabase('sqlite')
  const { run } = createCommandLine(db)
  const source = 'utm_source=google&utm_medium=cpc&utm_campaign=%3DHYPERLINK(1)'
  const id = await save(db, {}, [], source)
  expect((await run()).out).toContain('Google Ads · =HYPER')
  expect((await run('show', id)).out).toMatch(
    /From +Google Ads · =HYPERLINK\(1\) \(utm_source google, utm_medium cpc, /,
  )
  expect(JSON.parse((await run('show', id, '--json')).out).source).toEqual({
    name: 'Google Ads · =HYPERLINK(1)',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: '=HYPERLINK(1)',
  })
  const file = join(createDir(), 'leads.csv')
  await run('export', file)
  expect(readFileSync(file, 'utf8')).toContain(`Google Ads · =HYPERLINK(1),${source}`)
  expect((await run('promise', '--days', '9')).out).toContain('Google Ads · =HYPERLINK(1)')
  expect((await run('erase', id, '--yes')).code).toBe(0)
  expect((await run('promise', '--days', '9')).out).not.toContain('HYPERLINK')
})

test('the list keeps to 80 columns whatever a lead is called, and lets nothing out of its cell', async () => {
  const db = await openTestDatabase('sqlite')
  await save(db, { name: '李'.repeat(50), phone: '5'.repeat(40), serviceType: 'new-roof' })
  const hostile = `x\x1b[2J\x9b31m\u202E${'👩‍👩‍👧'.repeat(30)}`
  await save(db, { name: hostile }, ['airtable', 'email', 'sms'])
  const { out } = await createCommandLine(db, { width: 80 }).run()
  const table = out.split('\n\n')[0]?.split('\n') ?? []
  expect(table).toHaveLength(3)
  expect(Math.max(...table.map(measureText))).toBeLessThanOrEqual(80)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  expect(out).not.toMatch(/[\x1b\x9b\u202E]/)
})
