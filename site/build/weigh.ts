import { parseSiteHeaders } from '../render/site-headers.ts'

/**
 * The page and its headers must fit into the first round trip, which carries ten packets. With TCP timestamps,
 * they have 14,480 bytes, and TLS takes some.
 */
export const maxPageBytes = 14_000

/** Returns the bytes of a page's response, including its headers. */
export function weigh(body: Uint8Array, headers: string): number {
  const lines = Object.entries(parseSiteHeaders(headers).all).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  // The status line, Date, ETag, caching, and what describes the body.
  const otherHeaders = 275
  return body.byteLength + lines.join('').length + otherHeaders
}
