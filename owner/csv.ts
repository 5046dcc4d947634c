// Excel, Sheets and LibreOffice run a cell that begins like this as a formula, and the words are a
// stranger's: =HYPERLINK(…) or =WEBSERVICE(…) would send the other cells away. The apostrophe makes
// it text. It also hits phone numbers with +, which is the price.
const startsLikeFormula = /^[=+\-@\t\r\n＝＋－＠]/

const formatCell = (text: string) => {
  const safe = startsLikeFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line after RFC 4180. */
export const formatCsvLine = (cells: readonly string[]): string =>
  `${cells.map(formatCell).join(',')}\r\n`

/** Without this mark Excel reads UTF-8 as the machine's old code page and garbles every accent. */
export const byteOrderMark = '\uFEFF'
