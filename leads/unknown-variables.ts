import { countEdits } from './words.ts'

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

// Report only these prefixes, because other programs do not use them.
const prefix = /^(AIRTABLE|ALERT|DESK|ESCALATION|SMTP|TWILIO)_/

/** Short names, such as HOME and HOST, are similar by chance. */
const maxEdits = ({ length }: string) => (length < 8 ? 0 : length < 12 ? 1 : 2)
