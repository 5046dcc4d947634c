import { expect, test } from 'vitest'
import { formatCsvLine } from './csv.ts'

test.each(['=1+1', '+1 555', '-2', '@SUM(A1)', '\tx', '\rx', '＝1'])(
  '%j cannot become a formula',
  (text) => {
    expect(formatCsvLine([text]).replace(/^"/, '')).toMatch(/^'/)
  },
)

test('quotes, commas and line breaks are quoted, all else stands as it is', () => {
  expect(formatCsvLine(['a', 'b "c"', 'd, e', 'f\ng', '', 'a=b', '李 🏠'])).toBe(
    'a,"b ""c""","d, e","f\ng",,a=b,李 🏠\r\n',
  )
})
