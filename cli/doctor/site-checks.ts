import type { Env } from '#leads/settings.ts'
import { type Finding, type RawEnv, readBackend } from './checks.ts'
import { readErrorCode } from './database.ts'

/** Without a response, the status is a code such as ECONNREFUSED. */
type Answer = { status: number | string; headers: Headers; text: string }

type SiteAnswers = { page: Answer; health: Answer; key: Answer; desk: Answer | undefined }

type SiteContext = {
  env: Env
  raw: RawEnv
  site: SiteAnswers | undefined
  /** The problems that doctor has already found and must not list again. */
  known: readonly string[]
}

const timeoutMs = 5_000

/**
 * Requests the public site as a visitor would, and the desk without signing in. Returns undefined until
 * the site has an https URL.
 */
export async function readSite(
  { publicUrl, desk: ownDesk }: Env,
  raw: RawEnv,
  fetch: typeof globalThis.fetch,
): Promise<SiteAnswers | undefined> {
  if (!publicUrl.startsWith('https://')) return
  const backend = readBackend(raw)
  const functionUrl = `${backend ?? publicUrl}/functions/v1/submit-to-airtable`
  const request = async (url: string, init: RequestInit = {}): Promise<Answer> => {
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(url, { redirect: 'manual', ...init, signal })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (error) {
      return { status: readErrorCode(error), headers: new Headers(), text: '' }
    }
  }
  const [page, health, key, desk] = await Promise.all([
    request(`${publicUrl}/`),
    request(`${backend ? functionUrl : publicUrl}/healthz`),
    // The function checks the key first, then rejects this content type, so nothing is stored.
    request(functionUrl, {
      method: 'POST',
      headers: { apikey: readPageKey(raw), 'content-type': 'text/plain', origin: publicUrl },
      body: 'doctor',
    }),
    ownDesk?.url.startsWith('https://') ? request(`${ownDesk.url}/api/today`) : undefined,
  ])
  return { page, health, key, desk }
}

/** The key that the page is built with: see vite.config.ts. */
export const readPageKey = (raw: RawEnv): string =>
  raw.VITE_SUPABASE_ANON_KEY?.trim() || raw.SUPABASE_ANON_KEY?.trim() || 'public-anon-key'

/** Checks the public site as a visitor sees it. */
export function* checkSite({ site, env, raw, known }: SiteContext): Generator<Finding> {
  if (!site) return
  const { page, health, key, desk } = site
  if (page.status !== 200)
    yield {
      id: 'site-unreachable',
      state: 'to do',
      ...explainUnreachable(env.publicUrl, 'page', page.status),
    }
  // 401 means that the desk is up and asks for a sign-in.
  if (desk && desk.status !== 401)
    yield {
      id: 'desk-unreachable',
      state: 'to do',
      ...explainUnreachable(env.desk?.url, 'desk', desk.status),
    }
  if (page.status !== 200) return

  const warnings = readWarnings(health)
  if (health.status !== 200 || !warnings)
    yield {
      id: 'site-unhealthy',
      state: 'to do',
      text: `The health check (/healthz) does not confirm that leads can be stored (${health.status}).`,
      next: 'Check the site’s log',
    }

  const others = warnings?.filter((warning) => !known.includes(warning)) ?? []
  if (others.length > 0)
    yield {
      id: 'site-warnings',
      state: 'to do',
      text: `The running site reports: ${others.join(', ')}.`,
      next: 'If .env is already correct, restart the site. docs/operations.md explains each warning',
    }

  const { origin } = new URL(env.publicUrl)
  if (key.status === 401)
    yield {
      id: 'page-key',
      state: 'to do',
      text: 'The function rejects the page’s key, so no leads would arrive.',
      next: 'Set VITE_SUPABASE_ANON_KEY to the backend’s key, or leave it empty if there is no separate backend. Then build again',
    }
  // 415 means that the function accepted the key and rejected the content type, as intended.
  else if (key.status !== 415)
    yield {
      id: 'page-key',
      state: 'to do',
      text: `The function does not respond as expected (${key.status}).`,
      next: 'Start the backend, then check its log',
    }
  else if (readBackend(raw) && key.headers.get('access-control-allow-origin') !== origin)
    yield {
      id: 'origin-not-allowed',
      state: 'to do',
      text: `The backend does not accept leads from ${origin}.`,
      next: `npx supabase secrets set ALLOWED_ORIGINS=${origin}`,
    }

  yield {
    id: 'proxies',
    state: 'check',
    text: `TRUSTED_PROXIES is ${env.trustedProxies ?? 0}. It must be the number of proxies in front of the site: if it is too low, all visitors share one rate limit; if it is too high, visitors can fake their IP address.`,
    next: 'Count the proxies, and correct TRUSTED_PROXIES if needed. If the proxy runs on this machine, set HOST=127.0.0.1, so that nobody can bypass it',
  }
}

const explainUnreachable = (url: string | undefined, what: string, status: number | string) =>
  /CERT|SIGNATURE|SELF_SIGNED|SSL|TLS/.test(String(status))
    ? {
        text: `Browsers do not trust the certificate for ${url} (${status}).`,
        next: 'Check the proxy’s log to see why it did not get or renew the certificate',
      }
    : {
        text: `${url} does not show the ${what} (${status}).`,
        next: 'Start the site and its proxy. Check the domain’s DNS record, and ports 80 and 443 in the firewall',
      }

export function readWarnings({ text }: Answer): string[] | undefined {
  try {
    const { warnings } = JSON.parse(text)
    return Array.isArray(warnings) ? warnings.map(String) : undefined
  } catch {
    return undefined
  }
}
