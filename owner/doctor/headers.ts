import { createHash } from 'node:crypto'
import { formatSiteHeaders, parseSiteHeaders } from '#site/build/site-headers.ts'
import { type Finding, ok, toDo } from './check.ts'
import { findBackend, type Given } from './settings.ts'

type Page = { headers: Headers; text: string }

/** By what was really served: whatever is inlined there must be allowed by its hash. */
export function checkHeaders(page: Page, notFound: Page, given: Given): Finding {
  const supabaseUrl = findBackend(given)
  const withMaps = Boolean(given.VITE_GOOGLE_MAPS_API_KEY?.trim())
  const pages = [page.text, notFound.text]
  const { all } = parseSiteHeaders(formatSiteHeaders({ pages, supabaseUrl, withMaps }))
  const policy = page.headers.get('content-security-policy') ?? ''
  if (policy !== '' && !allowsAllInlined(page.text, policy))
    return toDo(
      'headers',
      'The page that arrives holds a script or style which its own policy forbids: something on the way has put it there.',
      'Switch off what changes pages at the proxy or CDN (analytics, minifying, e-mail hiding)',
    )
  const names = Object.keys(all)
  const wrong = names.filter((name) => sortHeader(page.headers.get(name)) !== sortHeader(all[name]))
  if (wrong.length === 0)
    return ok('headers', `The ${names.length} security headers are as they should be.`)
  return toDo(
    'headers',
    `Missing or different: ${wrong.join(', ')}.`,
    supabaseUrl
      ? 'Let the static host read dist/_headers, and upload dist/ again'
      : 'Start the site again; the proxy must pass headers and pages on unchanged',
  )
}

const allowsAllInlined = (page: string, policy: string) =>
  [...page.matchAll(/<(script|style)([^>]*)>(.*?)<\/\1>/gs)]
    // What has an address is not inlined, and JSON-LD is data.
    .filter(([, , attributes = '']) => !/\ssrc=|application\/ld\+json/.test(attributes))
    .every(([, , , text = '']) =>
      policy.includes(`'sha256-${createHash('sha256').update(text).digest('base64')}'`),
    )

// The order within a policy depends on the order in which the pages were built.
const sortHeader = (value: string | null | undefined) =>
  value
    ?.split(/;\s*/)
    .map((part) => part.trim().split(/\s+/).sort().join(' '))
    .sort()
    .join('; ')
