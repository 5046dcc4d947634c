import { expect, test } from 'vitest'
import { formatCsvLine } from './csv.ts'

test.each(['=1+1', '+1 555', '-2', '@SUM(A1)', '\tx', '\rx', '＝1', ' =1', '"=1'])(
  '%j cannot become a formula',
  (text) => {
    expect(formatCsvLine([text])).toMatch(/^"?[\s"]*'/)
  },
)

test.each([';', '\t', '|', '\n', '\r\n', '; "'])(
  'nor can what follows %j, where that separates cells',
  (separator) => {
    expect(formatCsvLine([`x${separator}=cmd|1`])).toContain("'=cmd|1")
  },
)

test('quotes, commas and line breaks are quoted, all else stands as it is', () => {
  expect(formatCsvLine(['a', 'b "c"', 'd, e', 'f\ng', '', 'a=b', '李 🏠', 'o-k @ 5 + 6'])).toBe(
    'a,"b ""c""","d, e","f\ng",,a=b,李 🏠,o-k @ 5 + 6\r\n',
  )
  expect(formatCsvLine(['Apt 3; -gate is open'])).toBe(`"Apt 3; '-gate is open"\r\n`)
})
