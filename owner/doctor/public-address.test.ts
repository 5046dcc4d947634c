import { expect, test } from 'vitest'
import { countProxies } from '#leads/http/proxy-question.ts'
import { readEnv } from '#leads/settings.ts'
import { formatSiteHeaders, parseSiteHeaders } from '#site/build/site-headers.ts'
import { listChecks } from './check.ts'
import { checkPublicAddress } from './public-address.ts'

const publicUrl = 'https://www.roofing.test'
const backend = 'https://abc.supabase.co'
const functionPath = '/functions/v1/submit-to-airtable'
const now = Date.parse('2026-11-15T12:00:00Z')

const page = `<script type="module" async>go()</script>`
const findHeaders = (supabaseUrl?: string) =>
  // The policy of a site allows what the page of 404 holds, too.
  parseSiteHeaders(
    formatSiteHeaders({ pages: ['<style>p{}</style>', page], supabaseUrl, withMaps: false }),
  ).all
const all = findHeaders()

type Site = Record<string, (request: Request) => Response>
const answer = (url: string, body: string | object, status = 200, headers = {}): Site => ({
  [url]: () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
})
/** A site where all is well. */
const wellSite: Site = {
  ...answer(`${publicUrl}/`, page, 200, all),
  ...answer(`${publicUrl}/healthz`, { warnings: [] }),
  ...answer(`${publicUrl}${functionPath}`, '', 415),
}

async function look(changes: Site = {}, given: Record<string, string> = {}) {
  const site = { ...wellSite, ...changes }
  const variables = { PUBLIC_URL: publicUrl, TRUSTED_PROXIES: '1', ...given }
  const found = await checkPublicAddress(readEnv(variables), variables, {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const answers = site[request.url]
      if (!answers) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
      return answers(request)
    },
    now: () => now,
  })
  return listChecks(found)
}
const listToDo = async (...args: Parameters<typeof look>) =>
  (await look(...args)).filter(({ state }) => state !== 'ok')
const toDo = (says: RegExp) => [{ state: 'to do', says: expect.stringMatching(says) }]

test('a site where all is well has nothing to do', async () => {
  const checks = await look()
  expect(checks.map(({ state }) => state)).toEqual(Array(5).fill('ok'))
})

test.each(['', 'http://www.roofing.test'])('with PUBLIC_URL=%s nothing is asked', async (url) => {
  const checks = await look({}, { PUBLIC_URL: url })
  expect(checks).toMatchObject(toDo(/^PUBLIC_URL is not set to an https address/))
})

const { 'Strict-Transport-Security': _, ...withoutHsts } = all
const changedPage = page.replace('go()', 'go();track()')

test.each<[string, Site, RegExp]>([
  ['an error page', answer(`${publicUrl}/`, '', 502), /does not show the page \(502\)/],
  [
    'a certificate nobody trusts',
    {
      [`${publicUrl}/`]: () => {
        throw new TypeError('fetch failed', { cause: { code: 'CERT_HAS_EXPIRED' } })
      },
    },
    /not trust the certificate .*\(CERT_HAS_EXPIRED\)/,
  ],
  [
    'a header taken away',
    answer(`${publicUrl}/`, page, 200, withoutHsts),
    /fit the page: Strict-Transport-Security\.$/,
  ],
  [
    'a script that a proxy has changed',
    answer(`${publicUrl}/`, changedPage, 200, all),
    /fit the page: Content-Security-Policy\.$/,
  ],
  ['a database that takes nothing', answer(`${publicUrl}/healthz`, {}, 503), /say .*\(503\)/],
  ['a page instead of health', answer(`${publicUrl}/healthz`, '<html>'), /say .*\(200\)/],
  [
    'a warning',
    answer(`${publicUrl}/healthz`, { warnings: ['It lags.'] }),
    /^The running site says: It lags/,
  ],
  ['a refused key', answer(`${publicUrl}${functionPath}`, '', 401), /refuses the key/],
  ['no function', answer(`${publicUrl}${functionPath}`, '', 404), /as it should \(404\)/],
])('sees %s, and nothing else', async (_, changes, sentence) => {
  expect(await listToDo(changes)).toMatchObject(toDo(sentence))
})

test.each([
  ['not set', { TRUSTED_PROXIES: '' }, undefined, '.env: TRUSTED_PROXIES=1, then start again'],
  ['too few', { TRUSTED_PROXIES: '1' }, { seen: 2 }, '.env: TRUSTED_PROXIES=2, then start again'],
  ['too many', { TRUSTED_PROXIES: '1' }, { seen: 0 }, '.env: TRUSTED_PROXIES=0, then start again'],
])('trusted proxies: %s', async (_, given, proxies, next) => {
  const healthz = answer(`${publicUrl}/healthz`, { warnings: [], proxies })
  expect(await listToDo(healthz, given)).toMatchObject([{ state: 'to do', next }])
})

test('asks Supabase about its proxies, and whether it takes key and origin of the page', async () => {
  const given = {
    VITE_SUPABASE_URL: backend,
    VITE_SUPABASE_ANON_KEY: 'sb_publishable_1',
    LINK_SECRET: 'a secret for this test',
  }
  const supabase = (trusted: number | null, headers: Record<string, string>): Site => ({
    ...answer(`${publicUrl}/`, page, 200, findHeaders(backend)),
    [`${backend}${functionPath}`]: (request) =>
      new Response('', {
        status: request.headers.get('apikey') === 'sb_publishable_1' ? 415 : 401,
        headers,
      }),
    [`${backend}${functionPath}/healthz`]: ({ headers: asked }) => {
      const hops = [asked.get('x-forwarded-for'), '203.0.113.7', '10.0.0.1'].join(', ')
      const getHeader = (name: string) =>
        (name === 'x-forwarded-for' ? hops : asked.get(name)) ?? undefined
      const seen = countProxies(getHeader, given.LINK_SECRET, now)
      return Response.json({ warnings: [], proxies: { seen, trusted } })
    },
  })
  expect(await listToDo(supabase(null, {}), given)).toMatchObject([
    { state: 'to do', next: 'npx supabase secrets set TRUSTED_PROXIES=2' },
    { state: 'to do', next: `npx supabase secrets set ALLOWED_ORIGINS=${publicUrl}` },
  ])
  const right = supabase(2, { 'access-control-allow-origin': publicUrl })
  expect(await listToDo(right, given)).toEqual([])
  expect(await listToDo(right, { ...given, LINK_SECRET: '' })).toMatchObject([
    { state: 'cannot tell', next: expect.stringContaining('LINK_SECRET') },
  ])
})
