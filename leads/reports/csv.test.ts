import { expect, test } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { record, storeLead, testTime } from '#testing/saved-leads.ts'
import type { LeadRecord } from '../store/find-leads.ts'
import { formatCsv, formatCsvLine, readPages } from './csv.ts'

test.each(['=1+1', '+1 555', '-2', '@SUM(A1)', '\tx', '\rx', '＝1', ' =1', '"=1'])(
  'turns %j into text, so that it cannot run as a formula',
  (text) => {
    expect(formatCsvLine([text])).toMatch(/^"?[\s"]*'/)
  },
)

test.each([';', '\t', '|', '\n', '\r\n', '; "'])(
  'turns a formula after %j into text, because some programs separate cells there',
  (separator) => {
    expect(formatCsvLine([`x${separator}=cmd|1`])).toContain("'=cmd|1")
  },
)

test('quotes cells with quotes, commas, or line breaks, and leaves others unchanged', () => {
  expect(formatCsvLine(['a', 'b "c"', 'd, e', 'f\ng', '', 'a=b', '李 🏠', 'o-k @ 5 + 6'])).toBe(
    'a,"b ""c""","d, e","f\ng",,a=b,李 🏠,o-k @ 5 + 6\r\n',
  )
  expect(formatCsvLine(['Apt 3; -gate is open'])).toBe(`"Apt 3; '-gate is open"\r\n`)
})

test('names the state of each delivery, with the reason for a failure', async () => {
  const db = await openTestDatabase('sqlite')
  await storeLead(db, { recipients: ['airtable', 'email-1', 'push-1', 'sms-1', 'webhook'] })
  const set = (recipient: string, changes: object) =>
    db.kysely.updateTable('deliveries').set(changes).where('recipient', '=', recipient).execute()
  await set('airtable', { state: 'sent', arrivedAt: testTime })
  await set('email-1', { state: 'expired', lastError: 'Rejected. Check SMTP_URL (EAUTH 535).' })
  await set('push-1', { state: 'failed', note: 'Gone.' })
  await set('sms-1', { state: 'sent' })
  let csv = ''
  for await (const text of formatCsv(readPages(db), 'UTC')) csv += text
  expect(csv).toContain(
    '"Airtable: arrived; Email: failed (Rejected.); Push notification: failed (Gone.); Text message: sent; Webhook: waiting"',
  )
})

test('has the time of the promised call, and none for possible spam', async () => {
  const db = await openTestDatabase('sqlite')
  const lead = { address: 'No commas' }
  await storeLead(db, { lead, deadlineAt: Date.parse('2026-11-15T18:10:00Z') })
  await storeLead(db, { lead, suspect: 'trap', at: testTime + 1 })
  let csv = ''
  for await (const text of formatCsv(readPages(db), 'America/Chicago')) csv += text
  const rows = csv.split('\r\n').map((line) => line.split(','))
  const column = rows[0]?.indexOf('Call By (America/Chicago)') ?? -1
  expect(rows.slice(1, 3).map((cells) => cells[column])).toEqual(['', '2026-11-15 12:10:00'])
  expect(rows[1]).toContain('A hidden field was filled in.')
  expect(rows[2]).toContain('To call')
})

test('has the history, and notes that cannot run as a formula', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db)
  await record(db, id, 'no-answer')
  await record(db, id, 'note', { text: 'Gate code:\n=1+1', at: testTime + 60_000 })
  let csv = ''
  for await (const text of formatCsv(readPages(db), 'UTC')) csv += text
  expect(csv).toContain(
    ',Sam,1,"2026-11-15 12:01:00 Sam wrote: Gate code: =1+1; 2026-11-15 12:00:00 Sam called, no answer",',
  )
})

test.each(engines)('pages through leads that arrived at the same moment, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const ids: string[] = []
  for (let lead = 0; lead < 5; lead++) ids.push(await storeLead(db))
  const pages: LeadRecord[][] = []
  for await (const page of readPages(db, {}, 2)) pages.push(page)
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids))
})
