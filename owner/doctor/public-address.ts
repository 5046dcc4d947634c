import { createHash } from 'node:crypto'
import { connect } from 'node:tls'
import { formatDuration } from '#leads/alerts/clock.ts'
import { askAboutProxies } from '#leads/http/proxy-question.ts'
import type { Env } from '#leads/settings.ts'
import { formatSiteHeaders, parseSiteHeaders } from '#site/build/site-headers.ts'
import { type Check, cannotTell, findErrorCode, ok, toDo } from './check.ts'
import { checkSeenProxies } from './proxies.ts'
import { findBackend, findPageKey, type Given } from './settings.ts'

export type AddressDeps = {
  fetch: typeof fetch
  /** From when to when the certificate of this host is valid. */
  readCertificate: (url: URL) => Promise<{ startsAt: number; endsAt: number }>
  now: () => number
}

const timeoutMs = 5_000
const dayMs = 86_400_000
// Proxies renew when a third of the time is left. Half of that means that renewing has failed; two
// weeks are enough of any.
const findLeastLeftMs = (lifetimeMs: number) => Math.min(14 * dayMs, lifetimeMs / 6)

/** Looks at the site as a visitor from outside would. All calls go out at once, each with a time limit. */
export async function checkPublicAddress(
  { publicUrl, linkSecret }: Env,
  given: Given,
  deps: AddressDeps,
): Promise<Check[]> {
  if (!given.PUBLIC_URL?.trim() || !publicUrl.startsWith('https://'))
    return [
      cannotTell(
        'public site',
        'Certificate, headers and pages of the public site.',
        'PUBLIC_URL first, then run this again',
      ),
    ]
  const backend = findBackend(given)
  // TLS on a port of its own says nothing about where plain http would be.
  const hasPort = new URL(publicUrl).port !== ''
  const base = `${backend ?? publicUrl}/functions/v1/submit-to-airtable`
  const ask = (url: string, options: RequestInit = {}) => askOnce(url, options, deps.fetch)

  const [page, unknown, plain, health, robots, sitemap, key, certificate] = await Promise.all([
    ask(`${publicUrl}/`),
    ask(`${publicUrl}/no-such-page-doctor-asks`),
    hasPort ? undefined : ask(`${publicUrl.replace('https:', 'http:')}/`),
    ask(backend ? `${base}/healthz` : `${publicUrl}/healthz`, {
      headers: linkSecret === undefined ? {} : askAboutProxies(linkSecret, deps.now()),
    }),
    ask(`${publicUrl}/robots.txt`),
    ask(`${publicUrl}/sitemap.xml`),
    // Of a type that the function refuses once it has accepted the key: nothing is stored.
    ask(base, {
      method: 'POST',
      headers: { apikey: findPageKey(given), 'content-type': 'text/plain', origin: publicUrl },
      body: 'doctor',
    }),
    deps.readCertificate(new URL(publicUrl)).catch(() => undefined),
  ])
  if (page.kind === 'failed') return [explainUnreachable(page.code, publicUrl)]
  if (page.status !== 200)
    return [
      toDo(
        'public site',
        `${publicUrl}/ answers ${page.status}.`,
        'Start the site, or mend the proxy',
      ),
    ]
  return [
    checkCertificate(certificate, deps.now()),
    checkRedirect(plain),
    checkHeaders(page, unknown, given, backend),
    checkNotFound(unknown),
    ...checkHealth(health),
    ...checkSeenProxies(
      health.kind === 'answered' ? parseJson(health.text)?.proxies : undefined,
      backend !== undefined,
    ),
    checkKey(key, publicUrl, backend),
    checkFindable({ page, robots, sitemap, publicUrl }),
  ]
}

type Answer =
  | { kind: 'answered'; status: number; headers: Headers; text: string }
  | { kind: 'failed'; code: string }

async function askOnce(
  url: string,
  options: RequestInit,
  fetch: AddressDeps['fetch'],
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      ...options,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status, headers } = response
    return { kind: 'answered', status, headers, text: await response.text() }
  } catch (error) {
    return { kind: 'failed', code: findErrorCode(error) }
  }
}

function explainUnreachable(code: string, publicUrl: string): Check {
  const { hostname } = new URL(publicUrl)
  if (/CERT|SIGNATURE|SELF_SIGNED|SSL|TLS/.test(code))
    return toDo(
      'certificate',
      `Browsers will not trust the certificate of ${hostname} (${code}).`,
      'Let the proxy fetch one: Caddy does so by itself once the name leads to it',
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return toDo(
      'public site',
      `${hostname} leads nowhere (${code}).`,
      'Set its address at your DNS',
    )
  return toDo(
    'public site',
    `${publicUrl} does not answer (${code}).`,
    'Start the site and the proxy; let ports 80 and 443 through the firewall',
  )
}

function checkCertificate(
  certificate: { startsAt: number; endsAt: number } | undefined,
  now: number,
): Check {
  if (!certificate) return cannotTell('certificate', 'How long the certificate is valid.')
  const { startsAt, endsAt } = certificate
  const left = formatDuration(endsAt - now)
  if (endsAt - now < findLeastLeftMs(endsAt - startsAt))
    return toDo(
      'certificate',
      `The certificate ends in ${left}.`,
      'See in its log why the proxy does not renew it',
    )
  return ok('certificate', `The certificate is trusted, and valid for ${left} more.`)
}

function checkRedirect(plain: Answer | undefined): Check {
  if (!plain)
    return cannotTell('http', 'Whether http:// leads to https://, for PUBLIC_URL names a port.')
  const leadsTo = plain.kind === 'answered' ? plain.headers.get('location') : undefined
  if (leadsTo?.startsWith('https://')) return ok('http', 'http:// leads to https://.')
  return toDo(
    'http',
    plain.kind === 'failed'
      ? `http:// does not answer (${plain.code}).`
      : 'http:// does not lead to https://.',
    'Let the proxy answer port 80 with a redirect',
  )
}

function checkHeaders(
  page: Answer & { kind: 'answered' },
  unknown: Answer,
  given: Given,
  supabaseUrl: string | undefined,
): Check {
  // From what was really served: whatever is inlined there must be allowed by its hash.
  const pages = [page.text, unknown.kind === 'answered' ? unknown.text : '']
  const withMaps = Boolean(given.VITE_GOOGLE_MAPS_API_KEY?.trim())
  const { all } = parseSiteHeaders(formatSiteHeaders({ pages, supabaseUrl, withMaps }))
  const policy = page.headers.get('content-security-policy') ?? ''
  if (policy !== '' && !allowsAllInlined(page.text, policy))
    return toDo(
      'headers',
      'The page that arrives holds a script or style which its own policy forbids: something on the way has put it there.',
      'Switch off what changes pages at the proxy or CDN (analytics, minifying, e-mail hiding)',
    )
  const wrong = Object.entries(all)
    .filter(([name, value]) => !isSameHeader(page.headers.get(name), value))
    .map(([name]) => name)
  if (wrong.length === 0)
    return ok('headers', `The ${Object.keys(all).length} security headers are as they should be.`)
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
const isSameHeader = (sent: string | null, wanted: string) => {
  const sort = (value: string) =>
    value
      .split(/;\s*/)
      .map((part) => part.trim().split(/\s+/).sort().join(' '))
      .sort()
      .join('; ')
  return sent !== null && sort(sent) === sort(wanted)
}

function checkNotFound(unknown: Answer): Check {
  if (unknown.kind === 'answered' && unknown.status === 404)
    return ok('404', 'An unknown path gets the 404 page with its status.')
  return toDo(
    '404',
    unknown.kind === 'answered'
      ? `An unknown path gets ${unknown.status} instead of 404.`
      : `An unknown path gets no answer (${unknown.code}).`,
    'No catch-all rule at the host or proxy: it has 404.html for that',
  )
}

function checkHealth(health: Answer): Check[] {
  const body =
    health.kind === 'answered' && health.status === 200 ? parseJson(health.text) : undefined
  if (!body)
    return [
      toDo(
        'health',
        `/healthz does not say that a lead could be stored (${health.kind === 'answered' ? health.status : health.code}).`,
        "Look into the site's log",
      ),
    ]
  const sentences = [...listTexts(body.warnings), ...listTexts(body.notSetUp)]
  if (sentences.length === 0)
    return [ok('health', '/healthz: a lead could be stored, no warnings.')]
  return sentences.map((says) =>
    toDo(
      'health',
      `The running site says: ${says}`,
      'If .env is right by now, start the site again',
    ),
  )
}

const listTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function checkKey(answer: Answer, publicUrl: string, backend: string | undefined): Check {
  const again = 'Start the site again, which builds the page with the key of .env'
  if (answer.kind === 'failed')
    return toDo('function', `The function does not answer (${answer.code}).`, 'Start the backend')
  if (answer.status === 401)
    return toDo(
      'function',
      'The function refuses the key of the page: no lead would arrive.',
      again,
    )
  // 415: the key was right and the type was not, as intended.
  if (answer.status !== 415)
    return toDo('function', `The function answers ${answer.status}, not as it should.`, again)
  const origin = new URL(publicUrl).origin
  if (backend && answer.headers.get('access-control-allow-origin') !== origin)
    return toDo(
      'function',
      `The backend does not let ${origin} call it.`,
      `supabase secrets set ALLOWED_ORIGINS=${origin}`,
    )
  return ok('function', 'The function accepts the key of the page.')
}

function checkFindable({
  page,
  robots,
  sitemap,
  publicUrl,
}: {
  page: Answer & { kind: 'answered' }
  robots: Answer
  sitemap: Answer
  publicUrl: string
}): Check {
  const address = `${publicUrl}/`
  const wrong = [
    ...(page.text.includes(`<link rel="canonical" href="${address}"`) ? [] : ['canonical link']),
    ...(/<meta name="robots"[^>]*noindex/.test(page.text) ? ['noindex on the page'] : []),
    ...(robots.kind === 'answered' &&
    robots.status === 200 &&
    !/^Disallow: *\/ *$/m.test(robots.text)
      ? []
      : ['robots.txt']),
    ...(sitemap.kind === 'answered' && sitemap.text.includes(`<loc>${address}</loc>`)
      ? []
      : ['sitemap.xml']),
  ]
  if (wrong.length === 0)
    return ok('search', 'Search engines find canonical link, robots.txt and sitemap.xml.')
  return toDo(
    'search',
    `Wrong for search engines: ${wrong.join(', ')}.`,
    'Build again with this PUBLIC_URL: npm start (static host: npm run build, upload)',
  )
}

/** Trusted or not: whether it is, the page's own call tells. */
export function readCertificate(url: URL): Promise<{ startsAt: number; endsAt: number }> {
  const { hostname } = url
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(url.port || 443),
      // A bare address may not be named.
      ...(/^[\d.]+$|:/.test(hostname) ? {} : { servername: hostname }),
      rejectUnauthorized: false,
      timeout: timeoutMs,
    })
    socket.once('secureConnect', () => {
      const { valid_from, valid_to } = socket.getPeerCertificate()
      resolve({ startsAt: Date.parse(valid_from), endsAt: Date.parse(valid_to) })
      socket.destroy()
    })
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error('timeout')))
  })
}
