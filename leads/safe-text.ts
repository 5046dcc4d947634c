/**
 * Replaces control characters with spaces, because they could end an email header or control the owner's terminal.
 * Removes direction marks, which could disguise text. Keeps joiners, because emoji and Persian need them.
 */
export const makeSafe = (text: string): string =>
  text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/(?![\u200C\u200D])\p{Cf}/gu, '')

/** Makes text safe and puts it on one line. */
export const toOneLine = (text: string): string => makeSafe(text).replace(/\s+/g, ' ').trim()

/** Makes text safe and keeps its line breaks, but reduces several empty lines in a row to one. */
export const makeSafeLines = (text: string): string =>
  text
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => makeSafe(line).trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

/** Removes invisible characters (U+2800 is an empty Braille cell) and reduces whitespace to single spaces. */
export const keepVisible = (text: string): string =>
  text
    .replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Removes differences to ignore when comparing: case, accents, curly apostrophes, and invisible characters. */
export const foldText = (text: string): string =>
  keepVisible(text.normalize('NFKD'))
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[‘’ʻʼ`]/g, "'")
    // Convert to upper case first, which turns ß into SS.
    .toUpperCase()
    .toLowerCase()

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (character) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
  )
