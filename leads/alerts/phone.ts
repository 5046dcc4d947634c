const toAsciiDigits = (text: string) =>
  text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    // The digits of every script are in a row, from zero to nine.
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1
    return String(code - zero)
  })

/** What staff read, and a link with nothing but digits and a plus in front if there was one. */
export function readPhone(phone: string): { shown: string; callUrl: string } {
  const text = toAsciiDigits(phone)
  const [, number = text, extension] =
    text.match(/^(.*?\d.*?)\s*(?:extension|ext|x|#)\.?\s*(\d{1,6})$/i) ?? []
  const shown = number
    .replace(/[^\d+()\- ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const plus = /^\s*\(?\+/.test(number) ? '+' : ''
  return {
    shown: extension ? `${shown} ext ${extension}` : shown,
    callUrl: `tel:${plus}${number.replace(/\D/g, '')}`,
  }
}
