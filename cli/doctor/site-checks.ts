import { type Check, defineCheck, findProblems } from '#leads/health/check.ts'
import { healthChecks } from '#leads/health/checks.ts'
import type { Env } from '#leads/settings.ts'
import { parseSiteHeaders } from '#server/static-site.ts'
import { formatSiteHeaders } from '#site/build/site-headers.ts'
import { findBackend, type LocalContext, type RawEnv } from './checks.ts'
import { findErrorCode } from './database.ts'

/** Without a response, the status is a code such as ECONNREFUSED. */
type Answer = { status: number | string; headers: Headers; text: string }

export type SiteAnswers = { page: Answer; health: Answer; key: Answer; desk: Answer | undefined }

/** Undefined until the site has an https address. */
export type SiteContext = LocalContext & { site: SiteAnswers | undefined }

const timeoutMs = 5_000

/** Requests the public site as a visitor would, and the desk without signing in. */
export async function readSite(
  { publicUrl, desk: ownDesk }: Env,
  raw: RawEnv,
  fetch: typeof globalThis.fetch,
): Promise<SiteAnswers | undefined> {
  if (!publicUrl.startsWith('https://')) return
  const backend = findBackend(raw)
  const functionUrl = `${backend ?? publicUrl}/functions/v1/submit-to-airtable`
  const request = async (url: string, init: RequestInit = {}): Promise<Answer> => {
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await fetch(url, { redirect: 'manual', ...init, signal })
      return { status: response.status, headers: response.headers, text: await response.text() }
    } catch (error) {
      return { status: findErrorCode(error), headers: new Headers(), text: '' }
    }
  }
  const [page, health, key, desk] = await Promise.all([
    request(`${publicUrl}/`),
    request(`${backend ? functionUrl : publicUrl}/healthz`),
    // The function checks the key first, then rejects this content type, so nothing is stored.
    request(functionUrl, {
      method: 'POST',
      headers: { apikey: findPageKey(raw), 'content-type': 'text/plain', origin: publicUrl },
      body: 'doctor',
    }),
    ownDesk?.url.startsWith('https://') ? request(`${ownDesk.url}/api/today`) : undefined,
  ])
  return { page, health, key, desk }
}

/** The key that the page is built with: see vite.config.ts. */
export const findPageKey = (raw: RawEnv): string =>
  raw.VITE_SUPABASE_ANON_KEY?.trim() || raw.SUPABASE_ANON_KEY?.trim() || 'public-anon-key'

/** Undefined if the page cannot be reached, which site-unreachable reports. */
const findReached = ({ site }: SiteContext) => (site?.page.status === 200 ? site : undefined)

/** Checks of the public site, as a visitor sees it. */
export const siteChecks: readonly Check<SiteContext>[] = [
  defineCheck({
    id: 'site-unreachable',
    severity: 'error',
    find: ({ site }: SiteContext) => (site?.page.status === 200 ? undefined : site?.page.status),
    forDeveloper: (status, { env }) => explainUnreachable(env.publicUrl, 'page', status),
  }),
  defineCheck({
    id: 'desk-unreachable',
    severity: 'error',
    // 401 means that the desk is up and asks for a sign-in.
    find: ({ site }: SiteContext) => (site?.desk?.status === 401 ? undefined : site?.desk?.status),
    forDeveloper: (status, { env }) => explainUnreachable(env.desk?.url, 'desk', status),
  }),
  defineCheck({
    id: 'security-headers',
    find: (context: SiteContext) => {
      const { page } = findReached(context) ?? {}
      return page && findWrongHeaders(page, context.raw)
    },
    forDeveloper: (names) => ({
      text: `Security headers are missing or do not match the page: ${names}.`,
      next: 'Restart the site, or configure the static host to read dist/_headers. Make sure that the proxy does not change headers or pages',
    }),
  }),
  defineCheck({
    id: 'site-unhealthy',
    severity: 'error',
    find: (context: SiteContext) => {
      const { health } = findReached(context) ?? {}
      return health && (health.status !== 200 || !readWarnings(health)) ? health.status : undefined
    },
    forDeveloper: (status) => ({
      text: `The health check (/healthz) does not confirm that leads can be stored (${status}).`,
      next: 'Check the site’s log',
    }),
  }),
  defineCheck({
    id: 'site-warnings',
    find: async (context: SiteContext) => {
      const warnings = readWarnings(findReached(context)?.health) ?? []
      const known = await findProblems(healthChecks, 'healthz', context)
      const others = warnings.filter((warning) => !known.some(({ id }) => id === warning))
      return others.length > 0 ? others.join(', ') : undefined
    },
    forDeveloper: (warnings) => ({
      text: `The running site reports: ${warnings}.`,
      next: 'If .env is already correct, restart the site. docs/operations.md explains each warning',
    }),
  }),
  defineCheck({
    id: 'page-key',
    severity: 'error',
    find: (context: SiteContext) => {
      const { status } = findReached(context)?.key ?? {}
      // 415 means that the function accepted the key and rejected the content type, as intended.
      return status === 415 ? undefined : status
    },
    forDeveloper: (status) =>
      status === 401
        ? {
            text: 'The function rejects the page’s key, so no leads would arrive.',
            next: 'Set VITE_SUPABASE_ANON_KEY to the backend’s key, or leave it empty if there is no separate backend. Then build again',
          }
        : {
            text: `The function does not respond as expected (${status}).`,
            next: 'Start the backend, then check its log',
          },
  }),
  defineCheck({
    id: 'origin-not-allowed',
    severity: 'error',
    find: (context: SiteContext) => {
      const { key } = findReached(context) ?? {}
      if (key?.status !== 415 || !findBackend(context.raw)) return
      const { origin } = new URL(context.env.publicUrl)
      return key.headers.get('access-control-allow-origin') === origin ? undefined : origin
    },
    forDeveloper: (origin) => ({
      text: `The backend does not accept leads from ${origin}.`,
      next: `npx supabase secrets set ALLOWED_ORIGINS=${origin}`,
    }),
  }),
  defineCheck({
    id: 'proxies',
    severity: 'note',
    find: (context: SiteContext) => findReached(context) && (context.env.trustedProxies ?? 0),
    forDeveloper: (trusted) => ({
      text: `TRUSTED_PROXIES is ${trusted}. It must be the number of proxies in front of the site: if it is too low, all visitors share one rate limit; if it is too high, visitors can fake their address.`,
      next: 'Count the proxies, and correct TRUSTED_PROXIES if needed',
    }),
  }),
]

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

/** Compares with the headers that the served page needs, because inline code is allowed by its hash. */
function findWrongHeaders(page: Answer, raw: RawEnv): string | undefined {
  const supabaseUrl = findBackend(raw)
  const withMaps = Boolean(raw.VITE_GOOGLE_MAPS_API_KEY?.trim())
  const { all } = parseSiteHeaders(formatSiteHeaders({ pages: [page.text], supabaseUrl, withMaps }))
  const wrong = Object.keys(all).filter((name) => {
    const sent = page.headers.get(name) ?? ''
    return all[name]?.split(/[\s;]+/).some((part) => !sent.includes(part))
  })
  return wrong.length > 0 ? wrong.join(', ') : undefined
}

function readWarnings(health: Answer | undefined): string[] | undefined {
  try {
    const { warnings } = JSON.parse(health?.text ?? '')
    return Array.isArray(warnings) ? warnings.map(String) : undefined
  } catch {
    return undefined
  }
}
