import { createHash } from 'node:crypto'

/*
 * The headers of the site, in the format of static hosts' `_headers` file. The build writes it into
 * dist/, and static-site.ts reads it there: Node and any other host send the same.
 */

type Settings = {
  /** The finished pages: what is inlined in them is allowed by its hash. */
  pages: readonly string[]
  /** What scripts put into style elements. */
  scriptStyles?: readonly string[]
  /** The backend, where it is not the site itself. */
  supabaseUrl: string | undefined
  /** Google's script needs to be let in only where it is used. */
  withMaps: boolean
}

export function formatSiteHeaders(settings: Settings) {
  return [
    '/*',
    `  Content-Security-Policy: ${formatPolicy(settings)}`,
    // Not for plain HTTP: static hosts have TLS, and Node leaves it out without. Not for subdomains:
    // the owner may have others there, without TLS, that this would lock out for two years.
    '  Strict-Transport-Security: max-age=63072000',
    '  X-Content-Type-Options: nosniff',
    '  X-Frame-Options: DENY',
    '  Referrer-Policy: strict-origin-when-cross-origin',
    '  Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    '  Cross-Origin-Opener-Policy: same-origin',
    '  Cross-Origin-Resource-Policy: same-origin',
    '/assets/*',
    // Everything there carries its hash in its name.
    '  Cache-Control: public, max-age=31536000, immutable',
    '',
  ].join('\n')
}

function formatPolicy({ pages, scriptStyles = [], supabaseUrl, withMaps }: Settings) {
  const backend = supabaseUrl ? [new URL(supabaseUrl).origin] : []
  const html = pages.join('')
  const scripts = hashAll(html, /<script type="module" async>(.*?)<\/script>/gs)
  const styles = hashAll(html, /<style>(.*?)<\/style>/gs)
  // What Google's documentation asks for, less what only drawing a map needs.
  const maps = (...sources: string[]) => (withMaps ? sources : [])
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scripts, ...maps('https://maps.googleapis.com')],
    'style-src': [...styles, ...scriptStyles.map(hash), ...maps('https://fonts.googleapis.com')],
    // The page's icon is in the page.
    'img-src': ["'self'", 'data:', ...maps('https://maps.gstatic.com', 'https://*.googleapis.com')],
    'font-src': ["'self'", ...maps('https://fonts.gstatic.com')],
    'connect-src': [
      "'self'",
      ...backend,
      ...maps('https://maps.googleapis.com', 'https://places.googleapis.com'),
    ],
    'form-action': ["'self'", ...backend],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  }
  return Object.entries(policy)
    .map(([directive, sources]) => [directive, ...new Set(sources)].join(' '))
    .join('; ')
}

const hashAll = (html: string, inlined: RegExp) =>
  [...html.matchAll(inlined)].map(([, code = '']) => hash(code))

const hash = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`

/** Reads a `_headers` file: what applies to everything, and what to hashed files in addition. */
export function parseSiteHeaders(text: string) {
  const rules: Record<string, Record<string, string>> = {}
  let path = ''
  for (const line of text.split('\n')) {
    const [, name, value] = line.match(/^\s+([\w-]+): (.*)$/) ?? []
    if (!name || !value) path = line
    else rules[path] = { ...rules[path], [name]: value }
  }
  return { all: rules['/*'] ?? {}, assets: rules['/assets/*'] ?? {} }
}
