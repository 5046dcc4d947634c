import type { Context } from 'hono'
import type { Env } from '../settings.ts'

export type OriginSettings = Pick<Env, 'publicUrl' | 'allowedOrigins'>

/** Whether a page of this origin may call the function. */
export const isAllowed = (c: Context, origin: string, settings: OriginSettings): boolean =>
  isHere(c, origin) ||
  origin === new URL(settings.publicUrl).origin ||
  settings.allowedOrigins.includes(origin)

// Only the host counts: behind a proxy that ends TLS, the scheme seen here is not the visitor's.
const isHere = (c: Context, origin: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === c.req.header('host')

/** The origin that a plain post came from and goes back to, '' being our own; undefined: a stranger's. */
export function findPage(c: Context, settings: OriginSettings): string | undefined {
  const { origin: said, referer = '', 'sec-fetch-site': site } = c.req.header()
  // Browsers send "null" where the page's referrer policy hides it; the two others may still tell.
  const hidden = URL.canParse(referer) ? new URL(referer).origin : ''
  const origin = said && said !== 'null' ? said : hidden
  if (origin === '') return site === 'same-origin' ? '' : undefined
  if (isHere(c, origin)) return ''
  return isAllowed(c, origin, settings) ? origin : undefined
}
