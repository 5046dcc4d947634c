import { connect } from 'node:tls'
import { formatDuration } from '#leads/alerts/clock.ts'
import { askAboutProxies } from '#leads/http/proxy-question.ts'
import type { Env } from '#leads/settings.ts'
import { cannotTell, type Finding, findErrorCode, ok, toDo } from './check.ts'
import { checkHeaders } from './headers.ts'
import { checkSeenProxies } from './proxies.ts'
import { findBackend, findPageKey, type Given } from './settings.ts'

type Certificate = { startsAt: number; endsAt: number }

export type AddressDeps = {
  fetch: typeof fetch
  readCertificate: (url: URL) => Promise<Certificate>
  now: () => number
}

const timeoutMs = 5_000

/** Looks at the site as a visitor from outside would. All calls go out at once, each with a time limit. */
export async function checkPublicAddress(
  { publicUrl, linkSecret }: Env,
  given: Given,
  deps: AddressDeps,
): Promise<Finding> {
  if (!given.PUBLIC_URL?.trim() || !publicUrl.startsWith('https://'))
    return cannotTell(
      'public site',
      'Certificate, headers and pages of the public site.',
      'PUBLIC_URL first, then run this again',
    )
  const backend = findBackend(given)
  // TLS on a port of its own says nothing about where plain http would be.
  const hasPort = new URL(publicUrl).port !== ''
  const base = `${backend ?? publicUrl}/functions/v1/submit-to-airtable`
  const ask = (url: string, options: RequestInit = {}) => askOnce(url, options, deps.fetch)

  const [page, notFound, plain, healthz, robots, sitemap, key, certificate] = await Promise.all([
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
  if (typeof page.status === 'string') return explainUnreachable(page.status, publicUrl)
  if (page.status !== 200) {
    const says = `${publicUrl}/ answers ${page.status}.`
    return toDo('public site', says, 'Start the site, or fix the proxy')
  }
  const health = readHealth(healthz)
  return [
    checkCertificate(certificate, deps.now()),
    checkRedirect(plain),
    checkHeaders(page, notFound, given),
    checkNotFound(notFound),
    checkHealth(healthz, health),
    checkSeenProxies(health?.proxies, backend !== undefined),
    checkKey(key, publicUrl, backend),
    checkFindable(page, robots, sitemap, `${publicUrl}/`),
  ]
}

/** The status is a code such as ECONNREFUSED when nobody answered. */
type Answer = { status: number | string; headers: Headers; text: string }

async function askOnce(
  url: string,
  options: RequestInit,
  fetch: AddressDeps['fetch'],
): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { redirect: 'manual', ...options, signal })
    const { status, headers } = response
    return { status, headers, text: await response.text() }
  } catch (error) {
    return { status: findErrorCode(error), headers: new Headers(), text: '' }
  }
}

function explainUnreachable(code: string, publicUrl: string): Finding {
  const { hostname } = new URL(publicUrl)
  if (/CERT|SIGNATURE|SELF_SIGNED|SSL|TLS/.test(code))
    return toDo(
      'certificate',
      `Browsers will not trust the certificate of ${hostname} (${code}).`,
      'Let the proxy fetch one: Caddy does so by itself once the name leads to it',
    )
  const says = `${hostname} leads nowhere (${code}).`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return toDo('public site', says, 'Set its address at your DNS')
  return toDo(
    'public site',
    `${publicUrl} does not answer (${code}).`,
    'Start the site and the proxy; let ports 80 and 443 through the firewall',
  )
}

const dayMs = 86_400_000
// Proxies renew when a third of the time is left. Half of that means that renewing has failed; two
// weeks are enough of any.
const findLeastLeftMs = (lifetimeMs: number) => Math.min(14 * dayMs, lifetimeMs / 6)

function checkCertificate(certificate: Certificate | undefined, now: number): Finding {
  if (!certificate) return cannotTell('certificate', 'How long the certificate is valid.')
  const { startsAt, endsAt } = certificate
  const left = formatDuration(endsAt - now)
  const next = 'See in its log why the proxy does not renew it'
  if (endsAt - now < findLeastLeftMs(endsAt - startsAt))
    return toDo('certificate', `The certificate ends in ${left}.`, next)
  return ok('certificate', `The certificate is trusted, and valid for ${left} more.`)
}

function checkRedirect(plain: Answer | undefined): Finding {
  if (!plain)
    return cannotTell('http', 'Whether http:// leads to https://, for PUBLIC_URL names a port.')
  const { status, headers } = plain
  if (headers.get('location')?.startsWith('https://'))
    return ok('http', 'http:// leads to https://.')
  const says = typeof status === 'string' ? `answer (${status})` : 'lead to https://'
  const next = 'Let the proxy answer port 80 with a redirect'
  return toDo('http', `http:// does not ${says}.`, next)
}

function checkNotFound({ status }: Answer): Finding {
  if (status === 404) return ok('404', 'An unknown path gets the 404 page with its status.')
  const got = typeof status === 'string' ? `no answer (${status})` : `${status} instead of 404`
  const next = 'No catch-all rule at the host or proxy: it has 404.html for that'
  return toDo('404', `An unknown path gets ${got}.`, next)
}

type Health = { warnings?: string[]; notSetUp?: string[]; proxies?: unknown }

function readHealth({ text }: Answer): Health | undefined {
  try {
    const said = JSON.parse(text)
    return Object(said) === said ? said : undefined
  } catch {
    return undefined
  }
}

function checkHealth({ status }: Answer, health: Health | undefined): Finding {
  if (status !== 200 || !health) {
    const says = `/healthz does not say that a lead could be stored (${status}).`
    return toDo('health', says, "Look into the site's log")
  }
  const sentences = [...(health.warnings ?? []), ...(health.notSetUp ?? [])]
  if (sentences.length === 0) return ok('health', '/healthz: a lead could be stored, no warnings.')
  const next = 'If .env is right by now, start the site again'
  return sentences.map((says) => toDo('health', `The running site says: ${says}`, next))
}

function checkKey({ status, headers }: Answer, publicUrl: string, backend: string | undefined) {
  const again = 'Start the site again, which builds the page with the key of .env'
  const refused = 'The function refuses the key of the page: no lead would arrive.'
  if (typeof status === 'string')
    return toDo('function', `The function does not answer (${status}).`, 'Start the backend')
  if (status === 401) return toDo('function', refused, again)
  // 415: the key was right and the type was not, as intended.
  if (status !== 415)
    return toDo('function', `The function answers ${status}, not as it should.`, again)
  const { origin } = new URL(publicUrl)
  if (backend && headers.get('access-control-allow-origin') !== origin) {
    const allow = `supabase secrets set ALLOWED_ORIGINS=${origin}`
    return toDo('function', `The backend does not let ${origin} call it.`, allow)
  }
  return ok('function', 'The function accepts the key of the page.')
}

function checkFindable(page: Answer, robots: Answer, sitemap: Answer, address: string): Finding {
  const isFine = {
    'canonical link': page.text.includes(`<link rel="canonical" href="${address}"`),
    'noindex on the page': !/<meta name="robots"[^>]*noindex/.test(page.text),
    'robots.txt': robots.status === 200 && !/^Disallow: *\/ *$/m.test(robots.text),
    'sitemap.xml': sitemap.text.includes(`<loc>${address}</loc>`),
  }
  const wrong = Object.entries(isFine).flatMap(([what, fine]) => (fine ? [] : [what]))
  if (wrong.length === 0)
    return ok('search', 'Search engines find canonical link, robots.txt and sitemap.xml.')
  return toDo(
    'search',
    `Wrong for search engines: ${wrong.join(', ')}.`,
    'Build again with this PUBLIC_URL: npm start (static host: npm run build, upload)',
  )
}

/** From when to when the certificate of this host is valid. Whether it is trusted, the page's own call tells. */
export function readCertificate({ hostname, port }: URL): Promise<Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port || 443),
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
