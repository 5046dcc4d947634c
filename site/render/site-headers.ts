import { createHash } from 'node:crypto'

// The build writes dist/_headers in the format that static hosts read. Our server reads the same file.

type Settings = {
  /** The HTML of the rendered pages. The Content-Security-Policy allows their inline scripts and styles by hash. */
  pages: readonly string[]
  /** The URL of the Supabase project, if it is the backend. */
  supabaseUrl?: string | undefined
  withMaps: boolean
}

export const formatSiteHeaders = (settings: Settings) =>
  formatHeaders(formatPolicy(settings), 'strict-origin-when-cross-origin')

/** The desk's build also uses this. */
export const formatHeaders = (policy: string, referrerPolicy: string) =>
  [
    '/*',
    `  Content-Security-Policy: ${policy}`,
    // Our server omits this header over plain HTTP. Don't add includeSubDomains, which would block the owner's
    // subdomains without TLS for two years.
    '  Strict-Transport-Security: max-age=63072000',
    '  X-Content-Type-Options: nosniff',
    `  Referrer-Policy: ${referrerPolicy}`,
    '  Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    '  Cross-Origin-Opener-Policy: same-origin',
    '  Cross-Origin-Resource-Policy: same-origin',
    '/assets/*',
    // All of these file names contain a hash.
    '  Cache-Control: public, max-age=31536000, immutable',
    '',
  ].join('\n')

function formatPolicy({ pages, supabaseUrl, withMaps }: Settings) {
  const backend = supabaseUrl ? [new URL(supabaseUrl).origin] : []
  const html = pages.join('')
  const scripts = hashAll(html, /<script>(.*?)<\/script>/gs)
  const styles = hashAll(html, /<style>(.*?)<\/style>/gs)
  // Google's documentation lists these sources and others. Leave out those that only a visible map needs.
  const maps = (...sources: string[]) => (withMaps ? sources : [])
  const policy = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scripts, ...maps('https://maps.googleapis.com')],
    'style-src': ["'self'", ...styles, ...maps('https://fonts.googleapis.com')],
    // data: is for the drawing on the 404 page.
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

export const hashAll = (html: string, inlined: RegExp) =>
  [...html.matchAll(inlined)].map(([, code = '']) => hashForPolicy(code))

const hashForPolicy = (code: string) =>
  `'sha256-${createHash('sha256').update(code).digest('base64')}'`

/** Parses a `_headers` file into the headers for all files and the extra headers for hashed files. */
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
