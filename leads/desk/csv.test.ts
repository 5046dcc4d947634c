import { array, assert, constantFrom, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { formatCsvLine } from './csv.ts'

test.each(['=1+1', '+1 555', '-2', '@SUM(A1)', '\tx', '\rx', '＝1'])(
  '%j cannot become a formula',
  (text) => {
    expect(formatCsvLine([text]).replace(/^"/, '')).toMatch(/^'/)
  },
)

test('nothing becomes a formula, whatever separates cells where it is opened', () => {
  expect(formatCsvLine(['x;=cmd|1'])).toBe(`"x;'=cmd|1"\r\n`)
  const risky = string({ unit: constantFrom(...'=-+@＝;,\t|\r\n" \'a') })
  for (const separators of [',', ';', '\t', '|', ',;\t'])
    assert(
      property(array(risky, { minLength: 1 }), (cells) =>
        splitCells(formatCsvLine(cells), separators).every(
          (cell) => !/^[\s"]*[=+\-@＝]/.test(cell),
        ),
      ),
      { numRuns: 1_000 },
    )
})

test('quotes, commas and line breaks are quoted, all else stands as it is', () => {
  expect(formatCsvLine(['a', 'b "c"', 'd, e', 'f\ng', '', 'a=b', '李 🏠', 'o-k @ 5 + 6'])).toBe(
    'a,"b ""c""","d, e","f\ng",,a=b,李 🏠,o-k @ 5 + 6\r\n',
  )
  expect(formatCsvLine(['Apt 3; -gate is open'])).toBe(`"Apt 3; '-gate is open"\r\n`)
})

/** As spreadsheets do: a quote opens only where a cell begins, and what follows its end belongs to the cell. */
function splitCells(text: string, separators: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (isQuoted && letter === '"' && text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (letter === '"' && (isQuoted || isStart)) {
      isQuoted = !isQuoted
      isStart = false
    } else if (!isQuoted && (separators.includes(letter) || /[\r\n]/.test(letter))) {
      cells.push(cell)
      cell = ''
      isStart = true
    } else {
      cell += letter
      isStart = false
    }
  }
  return [...cells, cell]
}
