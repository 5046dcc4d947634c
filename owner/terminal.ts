import { makeSafe } from '#leads/safe-text.ts'
import { UserError } from '#leads/user-error.ts'

/** The sentence for the owner, from us, the system or the database; of a mistake of ours all we know. */
export function explainError(error: unknown): string {
  const { message, stack = message, code } = error as NodeJS.ErrnoException
  const text = error instanceof UserError || code !== undefined ? message : stack
  return text.split('\n').map(makeSafe).join('\n')
}

export const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`

/** JSON escapes control characters up to U+001F; terminals obey some beyond. */
export const makeSafeJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u

const measureGrapheme = (grapheme: string) =>
  wide.test(grapheme) ? 2 : /^\p{M}+$/u.test(grapheme) ? 0 : 1

/** How many columns of a terminal the text takes. */
export const measureText = (text: string): number =>
  [...graphemes.segment(text)].reduce((sum, { segment }) => sum + measureGrapheme(segment), 0)

/** Cut to the width with an ellipsis, or filled up to it. */
function fitText(text: string, width: number): string {
  const missing = width - measureText(text)
  if (missing >= 0) return text + ' '.repeat(missing)
  const letters = [...graphemes.segment(text)].map(({ segment }) => segment)
  while (measureText(letters.join('')) > width - 1) letters.pop()
  return fitText(`${letters.join('')}…`, width)
}

type TableColumn = { title: string; minWidth: number }

const gap = 2

/** Columns as wide as they need to be; when that is too wide, the widest give way first. */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  totalWidth = Number.POSITIVE_INFINITY,
): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(makeSafe))]
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((line) => measureText(line[index] ?? ''))),
  )
  const measureAll = () => widths.reduce((sum, width) => sum + width, gap * (columns.length - 1))
  while (measureAll() > totalWidth) {
    const spare = widths.map((width, index) => width - (columns[index]?.minWidth ?? 0))
    const widest = spare.indexOf(Math.max(...spare))
    if ((spare[widest] ?? 0) <= 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  const formatLine = (line: readonly string[]) =>
    line.map((cell, index) => fitText(cell, widths[index] ?? 0)).join(' '.repeat(gap))
  return lines.map((line) => `${formatLine(line).trimEnd()}\n`).join('')
}
