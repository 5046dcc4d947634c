import { parseSiteHeaders } from '../render/site-headers.ts'

/**
 * The page and its headers must fit into the first round trip, which carries ten packets. With TCP timestamps,
 * these packets carry 14,480 bytes, some of which TLS needs.
 */
export const maxPageBytes = 14_000

/** Returns the size of a page's response in bytes, including its headers. */
export function weigh(body: Uint8Array, headers: string): number {
  const lines = Object.entries(parseSiteHeaders(headers).all).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  // The status line, and headers such as Date, ETag, Cache-Control, and Content-Type.
  const otherHeaders = 275
  return body.byteLength + lines.join('').length + otherHeaders
}

/** Formats the line that the build prints. */
export function formatWeight(bytes: number): string {
  const left = maxPageBytes - bytes
  const total = `The page has ${bytes.toLocaleString('en')} bytes with headers`
  return left < 0
    ? `${total}, ${(-left).toLocaleString('en')} too many for the first round trip.`
    : `${total}. There is room for ${left.toLocaleString('en')} more in the first round trip.`
}
