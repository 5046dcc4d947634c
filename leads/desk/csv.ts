// Excel, Sheets and LibreOffice run a cell that begins like this as a formula, and the words are a
// stranger's: =HYPERLINK(…) or =WEBSERVICE(…) would send the other cells away. The apostrophe makes
// it text. Where semicolons or tabs separate, our quotes stand in the middle of a cell and hold nothing
// together, so a cell may begin after any of them. It also hits phone numbers with +, which is the price.
const startsLikeFormula = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;|\t\r\n])[\s"]*)|^(?=[\t\r\n])/g

const formatCell = (text: string) => {
  const safe = text.replace(startsLikeFormula, "'")
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line after RFC 4180. */
export const formatCsvLine = (cells: readonly string[]): string =>
  `${cells.map(formatCell).join(',')}\r\n`

/** Without this mark Excel reads UTF-8 as the machine's old code page and garbles every accent. */
export const byteOrderMark = '\uFEFF'
