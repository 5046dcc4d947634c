import { expect, test } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { storeLead } from '#testing/saved-leads.ts'
import type { LeadWithDeliveries } from '../store/reading.ts'
import { formatCsvLine, readPages } from './csv.ts'

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

test.each(engines)('pages through leads that arrived at the same moment, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const ids: string[] = []
  for (let lead = 0; lead < 5; lead++) ids.push(await storeLead(db))
  const pages: LeadWithDeliveries[][] = []
  for await (const page of readPages(db, {}, 2)) pages.push(page)
  expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids))
})
