import { expect, test } from 'vitest'
import { mapReceivers } from '#leads/delivery/receivers.ts'
import { readEnv } from '#leads/settings.ts'
import { findLead, listLeads } from '#leads/store/reading.ts'
import { createCommandLine, deliver, fail, save } from '#testing/command-line.ts'
import { openTestDatabase } from '#testing/database.ts'

test('retry makes waiting deliveries due now, of one lead or all', async () => {
  const db = await openTestDatabase('sqlite')
  const [one] = [await save(db), await save(db), await save(db)]
  await deliver(db, (leadId) => (leadId === one ? { ok: true } : { ok: false, error: 'x' }))
  const { run, now } = createCommandLine(db)
  expect((await run('retry', one ?? '')).out).toContain('Nothing of this lead waits.')
  expect((await run('retry', 'all')).out).toContain('2 deliveries are due now')
  const leads = await listLeads(db, { limit: 10 })
  const waiting = leads.flatMap(({ deliveries }) =>
    deliveries.filter(({ state }) => state === 'waiting'),
  )
  expect(waiting.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([now(), now()])
  expect(JSON.parse((await run('retry', 'all', '--json')).out)).toEqual({ due: 2 })
})

test('a receiver is named where it is known; what waits for one who is gone can be dropped', async () => {
  const db = await openTestDatabase('sqlite')
  const readReceivers = (to: string) =>
    mapReceivers(
      readEnv({
        SMTP_URL: 'smtps://mail.example',
        ALERT_EMAIL_FROM: 'site@example.com',
        ALERT_EMAIL_TO: to,
        ESCALATION_EMAIL_TO: 'boss@example.com',
      }),
    )
  const before = readReceivers('office@example.com,roofer@example.com')
  const [office = '', roofer = ''] = before.keys()
  const id = await save(db, {}, ['airtable', office, roofer])
  const receivers = readReceivers('office@example.com')
  const { run } = createCommandLine(db, {
    open: async () => ({ db: { ...db, close: async () => {} }, airtable: undefined, receivers }),
  })
  const shown = (await run('show', id)).out
  expect(shown).toMatch(/^airtable +waits/m)
  expect(shown).toMatch(/^email to office@example\.com +waits \(tried 0 times\), next try/m)
  expect(shown).toMatch(
    new RegExp(`^${roofer} +waits \\(tried 0 times\\) for a receiver who is gone`, 'm'),
  )
  const listed = (await run()).out
  expect(listed).toContain('airtable waits, email waits, email waits')
  expect(listed).toContain('1 lead waits for email to office@example.com, the oldest since')
  expect(listed).toMatch(
    new RegExp(`waits for ${roofer}, .* gone.*npm run leads -- drop ${roofer}`),
  )

  const kept = 'Nothing was dropped: email to office@example.com'
  expect(await run('drop', office)).toMatchObject(fail(kept))
  expect((await run('drop', 'airtable')).code).toBe(1)
  expect(await run('drop', 'email-9')).toMatchObject(fail('Nothing waits for "email-9"'))
  expect((await run('drop', roofer)).out).toBe('1 alert is dropped. The leads stay.\n')
  const states = (await findLead(db, id))?.deliveries.map(({ state }) => state).sort()
  expect(states).toEqual(['cancelled', 'waiting', 'waiting'])
  expect((await run()).out).not.toContain(roofer)
})
