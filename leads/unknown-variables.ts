/** Lists variables that look like ours, such as SMPT_URL or SMTP_HOST, with the known one that is most similar. */
export const listUnknown = (names: readonly string[], known: readonly string[]) =>
  names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const edits = known.map((one) => countEdits(name, one))
      const fewest = Math.min(...edits)
      const isOurs = prefix.test(name) || fewest <= maxEdits(name)
      return isOurs ? [{ name, nearest: known[edits.indexOf(fewest)] ?? '' }] : []
    })

// Always report these prefixes, because other programs rarely use them.
const prefix = /^(AIRTABLE|ALERT|DESK|ESCALATION|SMTP|TWILIO)_/

/** Allow fewer edits in short names, because names such as HOME and HOST are similar by chance. */
const maxEdits = ({ length }: string) => (length < 8 ? 0 : length < 12 ? 1 : 2)

/** Counts the letters to add, remove, replace, or swap with the next one. */
export function countEdits(from: string, to: string): number {
  const counts: number[][] = []
  const read = (row: number, at: number) => counts[row]?.[at] ?? Number.POSITIVE_INFINITY
  for (let row = 0; row <= from.length; row++) {
    counts[row] = []
    for (let at = 0; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1]
      const isSwapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      const replaced = read(row - 1, at - 1) + (isSame ? 0 : 1)
      const swapped = isSwapped ? read(row - 2, at - 2) + 1 : replaced
      const count = Math.min(read(row - 1, at) + 1, read(row, at - 1) + 1, replaced, swapped)
      counts[row]?.push(row + at === 0 ? 0 : count)
    }
  }
  return read(from.length, to.length)
}
