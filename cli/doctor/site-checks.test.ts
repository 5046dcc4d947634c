import { expect, test } from 'vitest'
import { findProblems } from '#leads/health/check.ts'
import { readEnv } from '#leads/settings.ts'
import { parseSiteHeaders } from '#server/static-site.ts'
import { formatSiteHeaders } from '#site/build/site-headers.ts'
import { alwaysOpen } from '#testing/saved-leads.ts'
import { readSite, siteChecks } from './site-checks.ts'

const publicUrl = 'https://www.roofing.test'
const deskUrl = 'https://desk.roofing.test'
const backend = 'https://abc.supabase.co'
const functionPath = '/functions/v1/submit-to-airtable'

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
  ...answer(`${deskUrl}/api/today`, { error: { message: 'Please sign in.' } }, 401),
}

async function find(changes: Site = {}, given: Record<string, string> = {}) {
  const responses = { ...wellSite, ...changes }
  const raw = { PUBLIC_URL: publicUrl, DESK_URL: deskUrl, TRUSTED_PROXIES: '1', ...given }
  const env = readEnv(raw)
  const site = await readSite(env, raw, async (input, init) => {
    const request = new Request(input, init)
    const answers = responses[request.url]
    if (!answers) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    return answers(request)
  })
  const facts = {
    env,
    now: 0,
    isPublic: true,
    root: '',
    content: {
      company: { name: '', phone: '' },
      head: { shareLines: [] },
      hours: alwaysOpen,
      form: { consent: { version: '', text: '' } },
    },
  }
  const problems = await findProblems(siteChecks, 'doctor', {
    ...{ ...facts, raw, leadsAre: 'here', sends: false, site },
  })
  return problems.map(({ id, forDeveloper }) => ({ id, ...forDeveloper }))
}
const findToDo = async (...args: Parameters<typeof find>) =>
  (await find(...args)).filter(({ id }) => id !== 'proxies')

test('finds nothing when all is well, and states what to check about proxies', async () => {
  const text = expect.stringMatching(/^TRUSTED_PROXIES is 1 and must be the number of proxies/)
  expect(await find()).toEqual([{ id: 'proxies', text, next: expect.any(String) }])
})

test.each(['', 'http://www.roofing.test'])('with PUBLIC_URL=%s requests nothing', async (url) => {
  expect(await find({}, { PUBLIC_URL: url })).toEqual([])
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
    /do not trust the certificate .*\(CERT_HAS_EXPIRED\)/,
  ],
  [
    'a header taken away',
    answer(`${publicUrl}/`, page, 200, withoutHsts),
    /match the page: Strict-Transport-Security\.$/,
  ],
  [
    'a script that a proxy has changed',
    answer(`${publicUrl}/`, changedPage, 200, all),
    /match the page: Content-Security-Policy\.$/,
  ],
  ['a database that stores nothing', answer(`${publicUrl}/healthz`, {}, 503), /report .*\(503\)/],
  ['a page instead of health', answer(`${publicUrl}/healthz`, '<html>'), /report .*\(200\)/],
  [
    'a warning',
    answer(`${publicUrl}/healthz`, { warnings: ['no-alerts', 'email-late'] }),
    /^The running site reports: email-late\.$/,
  ],
  ['a rejected key', answer(`${publicUrl}${functionPath}`, '', 401), /rejects the key/],
  [
    'another page at the desk’s address',
    answer(`${deskUrl}/api/today`, page),
    /desk\.\S+ .*\(200\)/,
  ],
  [
    'a certificate of the desk that nobody trusts',
    {
      [`${deskUrl}/api/today`]: () => {
        throw new TypeError('fetch failed', { cause: { code: 'CERT_HAS_EXPIRED' } })
      },
    },
    /do not trust the certificate of https:\/\/desk/,
  ],
  ['no function', answer(`${publicUrl}${functionPath}`, '', 404), /as it should \(404\)/],
])('finds %s, and nothing else', async (_, changes, sentence) => {
  expect(await findToDo(changes)).toMatchObject([{ text: expect.stringMatching(sentence) }])
})

test('asks Supabase whether it accepts the key and the origin of the page', async () => {
  const given = {
    VITE_SUPABASE_URL: backend,
    VITE_SUPABASE_ANON_KEY: 'sb_publishable_1',
  }
  const supabase = (headers: Record<string, string>): Site => ({
    ...answer(`${publicUrl}/`, page, 200, findHeaders(backend)),
    [`${backend}${functionPath}`]: (request) =>
      new Response('', {
        status: request.headers.get('apikey') === 'sb_publishable_1' ? 415 : 401,
        headers,
      }),
    ...answer(`${backend}${functionPath}/healthz`, { warnings: [] }),
  })
  expect(await findToDo(supabase({}), given)).toMatchObject([
    { next: `npx supabase secrets set ALLOWED_ORIGINS=${publicUrl}` },
  ])
  const right = supabase({ 'access-control-allow-origin': publicUrl })
  expect(await findToDo(right, given)).toEqual([])
})
