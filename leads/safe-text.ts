/**
 * Makes a visitor's text safe to show: control characters could end an email header or change the
 * owner's terminal, and direction marks could disguise the text. Emoji and Persian need the joiners.
 */
export const makeSafe = (text: string): string =>
  text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/(?![\u200C\u200D])\p{Cf}/gu, '')

/** Removes joiners, fillers, and other characters that show nothing. U+2800 is the empty Braille cell. */
export const keepVisible = (text: string): string =>
  text
    .replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (character) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
  )
