import { askAboutProxies } from '#leads/http/proxy-question.ts'
import type { Env } from '#leads/settings.ts'
import { formatSiteHeaders, parseSiteHeaders } from '#site/build/site-headers.ts'
import { cannotTell, type Finding, findErrorCode, ok, toDo } from './check.ts'
import { findBackend, findPageKey, type Given } from './settings.ts'

export type AddressDeps = { fetch: typeof fetch; now: () => number }

const timeoutMs = 5_000

/** Looks at the site as a visitor from outside would. All calls go out at once, each with a time limit. */
export async function checkPublicAddress(
  { publicUrl, linkSecret, trustedProxies }: Env,
  given: Given,
  { fetch, now }: AddressDeps,
): Promise<Finding> {
  if (!given.PUBLIC_URL?.trim() || !publicUrl.startsWith('https://'))
    return toDo(
      'PUBLIC_URL is not set to an https address: links in alerts lead nowhere, search engines are not told the address, and doctor cannot look at the public site.',
      '.env: PUBLIC_URL=https://www.your-domain.com',
    )
  const backend = findBackend(given)
  const base = `${backend ?? publicUrl}/functions/v1/submit-to-airtable`
  const ask = (url: string, options: RequestInit = {}) => askOnce(url, options, fetch)
  const [page, healthz, key] = await Promise.all([
    ask(`${publicUrl}/`),
    ask(backend ? `${base}/healthz` : `${publicUrl}/healthz`, {
      headers: linkSecret === undefined ? {} : askAboutProxies(linkSecret, now()),
    }),
    // Of a type that the function refuses once it has accepted the key: nothing is stored.
    ask(base, {
      method: 'POST',
      headers: { apikey: findPageKey(given), 'content-type': 'text/plain', origin: publicUrl },
      body: 'doctor',
    }),
  ])
  const health = readHealth(healthz)
  const { seen, trusted = trustedProxies } = health?.proxies ?? {}
  const inFront = checkProxies(seen, trusted ?? 0, backend)
  if (page.status !== 200) return [explainUnreachable(page.status, publicUrl), inFront]
  return [
    ok(`The public address answers, with a certificate browsers trust: ${publicUrl}`),
    checkHeaders(page, given),
    checkHealth(healthz, health),
    inFront,
    checkKey(key, new URL(publicUrl).origin, backend),
  ]
}

/** The status is a code such as ECONNREFUSED when nobody answered. */
type Answer = { status: number | string; headers: Headers; text: string }

async function askOnce(url: string, options: RequestInit, fetch: AddressDeps['fetch']) {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { redirect: 'manual', ...options, signal })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    return { status: findErrorCode(error), headers: new Headers(), text: '' }
  }
}

function explainUnreachable(status: number | string, publicUrl: string): Finding {
  if (/CERT|SIGNATURE|SELF_SIGNED|SSL|TLS/.test(String(status)))
    return toDo(
      `Browsers will not trust the certificate of ${publicUrl} (${status}).`,
      'See in its log why the proxy did not fetch or renew it',
    )
  return toDo(
    `${publicUrl} does not show the page (${status}).`,
    'Start the site and its proxy; check the name at your DNS, and ports 80 and 443 at the firewall',
  )
}

/** By what was really served: whatever of ours is inlined there must be allowed by its hash. */
function checkHeaders(page: Answer, given: Given): Finding {
  const supabaseUrl = findBackend(given)
  const withMaps = Boolean(given.VITE_GOOGLE_MAPS_API_KEY?.trim())
  const { all } = parseSiteHeaders(formatSiteHeaders({ pages: [page.text], supabaseUrl, withMaps }))
  const wrong = Object.keys(all).filter((name) => {
    const sent = page.headers.get(name) ?? ''
    return all[name]?.split(/[\s;]+/).some((part) => !sent.includes(part))
  })
  if (wrong.length === 0) return ok('The security headers are as they should be.')
  return toDo(
    `Security headers are missing, or do not fit the page: ${wrong.join(', ')}.`,
    'Start the site again, or let the static host read dist/_headers; a proxy must change neither headers nor pages',
  )
}

type Health = { warnings?: string[]; proxies?: { seen: number; trusted: number | null } }

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
    return toDo(says, "Look into the site's log")
  }
  const { warnings = [] } = health
  if (warnings.length === 0) return ok('/healthz: a lead could be stored, no warnings.')
  const next = 'If .env is right by now, start the site again'
  return warnings.map((says) => toDo(`The running site says: ${says}`, next))
}

/** `seen`: what the site answered about the proxies in front of it (proxy-question.ts). */
function checkProxies(seen: number | undefined, trusted: number, backend: string | undefined) {
  if (backend && !seen)
    return cannotTell(
      'How many proxies the gateway adds, by which visitors are told apart.',
      'LINK_SECRET in .env and among the secrets, then run this again',
    )
  if (seen === undefined ? trusted > 0 : seen === trusted)
    return ok(`TRUSTED_PROXIES=${trusted}: each visitor has a limit of their own.`)
  const setting = `TRUSTED_PROXIES=${seen ?? 1}`
  return toDo(
    `TRUSTED_PROXIES is ${trusted}, with ${seen ?? 'a proxy'} in front: visitors share one rate limit, or can invent their address.`,
    backend ? `npx supabase secrets set ${setting}` : `.env: ${setting}, then start again`,
  )
}

function checkKey({ status, headers }: Answer, origin: string, backend: string | undefined) {
  if (status === 401)
    return toDo(
      'The function refuses the key of the page: no lead would arrive.',
      ".env: VITE_SUPABASE_ANON_KEY as the backend's, or empty where there is none; then build again",
    )
  // 415: the key was right and the type was not, as intended.
  if (status !== 415)
    return toDo(`The function does not answer as it should (${status}).`, 'Start the backend')
  if (backend && headers.get('access-control-allow-origin') !== origin)
    return toDo(
      `The backend does not let ${origin} call it.`,
      `npx supabase secrets set ALLOWED_ORIGINS=${origin}`,
    )
  return ok('The function accepts the key of the page.')
}
