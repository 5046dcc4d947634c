/**
 * Removes control characters, which could end an email header or control the owner's terminal, and
 * direction marks, which could disguise text. Keeps joiners, because emoji and Persian need them.
 */
export const makeSafe = (text: string): string =>
  text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/(?![\u200C\u200D])\p{Cf}/gu, '')

/** Makes text safe and puts it on one line. */
export const toOneLine = (text: string): string => makeSafe(text).replace(/\s+/g, ' ').trim()

/** Removes all invisible characters; U+2800 is an empty Braille cell. */
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
