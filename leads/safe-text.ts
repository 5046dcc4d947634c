/**
 * A lead's words come from strangers. Control characters would end a mail's header or rewrite the
 * owner's terminal, and direction marks would disguise what is there. The joiners that emoji and
 * Persian need may stay.
 */
export const makeSafe = (text: string): string =>
  text
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}--[\u200C\u200D]]/gv, '')

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (character) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
  )
