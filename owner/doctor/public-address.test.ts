import { expect, test } from 'vitest'
import { countProxies } from '#leads/http/proxy-question.ts'
import { readEnv } from '#leads/settings.ts'
import { formatSiteHeaders, parseSiteHeaders } from '#site/build/site-headers.ts'
import { listChecks } from './check.ts'
import { checkPublicAddress } from './public-address.ts'

const publicUrl = 'https://www.roofing.test'
const now = Date.parse('2026-11-15T12:00:00Z')
const dayMs = 86_400_000

const page = `<link rel="canonical" href="${publicUrl}/"/><script type="module" async>go()</script>`
const notFound = '<style>p{}</style><meta name="robots" content="noindex"/>'
const { all } = parseSiteHeaders(
  // In the other order than doctor asks for them, as a build may have it.
  formatSiteHeaders({ pages: [notFound, page], supabaseUrl: undefined, withMaps: false }),
)
const function415 = () => new Response('', { status: 415 })

/** A site where all is well, by address. */
const wellSite: Record<string, (request: Request) => Response> = {
  [`${publicUrl}/`]: () => new Response(page, { headers: all }),
  [`${publicUrl}/no-such-page-doctor-asks`]: () =>
    new Response(notFound, { status: 404, headers: all }),
  'http://www.roofing.test/': () =>
    new Response(null, { status: 308, headers: { location: `${publicUrl}/` } }),
  [`${publicUrl}/healthz`]: () => Response.json({ notSetUp: [], warnings: [] }),
  [`${publicUrl}/robots.txt`]: () => new Response('User-agent: *\nAllow: /\n'),
  [`${publicUrl}/sitemap.xml`]: () => new Response(`<loc>${publicUrl}/</loc>`),
  [`${publicUrl}/functions/v1/submit-to-airtable`]: function415,
}

type Options = { startsAt?: number; endsAt?: number; given?: object }

async function look(
  changes: typeof wellSite = {},
  { startsAt = now - 30 * dayMs, endsAt = now + 60 * dayMs, given = {} }: Options = {},
) {
  const site = { ...wellSite, ...changes }
  const variables = { PUBLIC_URL: publicUrl, ...given }
  const found = await checkPublicAddress(readEnv(variables), variables, {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const answer = site[request.url]
      if (!answer) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
      return answer(request)
    },
    readCertificate: async () => ({ startsAt, endsAt }),
    now: () => now,
  })
  return listChecks(found)
}
const listToDo = async (...args: Parameters<typeof look>) =>
  (await look(...args)).filter(({ state }) => state !== 'ok')

test('a site where all is well has nothing to do', async () => {
  const checks = await look()
  expect(checks.map(({ about, state }) => `${about}: ${state}`)).toEqual([
    'certificate: ok',
    'http: ok',
    'headers: ok',
    '404: ok',
    'health: ok',
    'function: ok',
    'search: ok',
  ])
})

test.each([
  ['PUBLIC_URL missing', { PUBLIC_URL: '' }],
  ['PUBLIC_URL without TLS', { PUBLIC_URL: 'http://www.roofing.test' }],
])('with %s nothing is asked', async (_, given) => {
  expect(await look({}, { given })).toMatchObject([{ state: 'cannot tell' }])
})

const breakWith = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: { code } })
}
test.each([
  ['ENOTFOUND', /leads nowhere/],
  ['ECONNREFUSED', /does not answer/],
  ['CERT_HAS_EXPIRED', /not trust the certificate/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /not trust the certificate/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /not trust the certificate/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /not trust the certificate/],
])('%s is explained in one line', async (code, sentence) => {
  const checks = await look({ [`${publicUrl}/`]: breakWith(code) })
  expect(checks).toMatchObject([{ state: 'to do', says: expect.stringMatching(sentence) }])
})

const pageWith = (headers: Record<string, string>, text = page) => ({
  [`${publicUrl}/`]: () => new Response(text, { headers }),
})
const { 'Strict-Transport-Security': _, ...withoutHsts } = all
const at = (path: string, body: string | object, status = 200) => ({
  [`${publicUrl}${path}`]: () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers: all }),
})
const functionPath = '/functions/v1/submit-to-airtable'
const otherPolicy = {
  ...all,
  'Content-Security-Policy': `${all['Content-Security-Policy']}; sandbox`,
}
const robots = 'User-agent: *\nDisallow: /\n'
const inserted = '<script type="module" async>track()</script>'

test.each<[string, typeof wellSite, RegExp]>([
  [
    'http without a redirect',
    { 'http://www.roofing.test/': () => new Response('hello') },
    /does not lead to https/,
  ],
  ['a header taken away', pageWith(withoutHsts), /different: Strict-Transport-Security\.$/],
  [
    'a header changed',
    pageWith({ ...all, 'X-Frame-Options': 'SAMEORIGIN' }),
    /different: X-Frame-Options\.$/,
  ],
  ['a proxy’s script', pageWith(all, `${page}<script>track()</script>`), /own policy forbids/],
  ['a proxy’s module', pageWith(all, page + inserted), /own policy forbids/],
  ['another build’s policy', pageWith(otherPolicy), /different: Content-Security-Policy\.$/],
  ['a 404 that is none', at('/no-such-page-doctor-asks', notFound), /gets 200 instead of 404/],
  ['a database that takes nothing', at('/healthz', {}, 503), /healthz does not say .*\(503\)/],
  ['a warning', at('/healthz', { warnings: ['It lags.'] }), /The running site says: It lags/],
  [
    'settings the running site has not read yet',
    at('/healthz', { notSetUp: ['No Airtable.'] }),
    /The running site says: No Airtable/,
  ],
  ['a refused key', at(functionPath, '', 401), /refuses the key/],
  [
    'a page built for another address',
    pageWith(all, page.replace('www.', 'old.')),
    /search engines: canonical link\.$/,
  ],
  ['robots sent away', at('/robots.txt', robots), /search engines: robots.txt\.$/],
])('sees %s, and nothing else', async (_, changes, sentence) => {
  const says = expect.stringMatching(sentence)
  expect(await listToDo(changes)).toMatchObject([{ state: 'to do', says }])
})

const hourMs = dayMs / 24
test.each([
  ['near its end is to do', { endsAt: now + 5 * dayMs }, ['The certificate ends in 5 days.']],
  [
    'of half a day is renewed by the hour',
    { startsAt: now - 7 * hourMs, endsAt: now + 5 * hourMs },
    [],
  ],
  [
    'of half a day that was not renewed is to do',
    { startsAt: now - 11 * hourMs, endsAt: now + hourMs },
    [expect.stringContaining('ends in')],
  ],
])('a certificate %s', async (_, times, sentences) => {
  expect((await listToDo({}, times)).map(({ says }) => says)).toEqual(sentences)
})

test('asks another backend whether it takes key and origin of the page', async () => {
  const backend = 'https://abc.supabase.co'
  const given = {
    VITE_SUPABASE_URL: backend,
    VITE_SUPABASE_ANON_KEY: 'sb_publishable_1',
    LINK_SECRET: 'a secret for this test',
  }
  const keys: (string | null)[] = []
  const answer = (headers: Record<string, string>) => ({
    [`${backend}${functionPath}`]: (request: Request) => {
      keys.push(request.headers.get('apikey'))
      return new Response('', { status: 415, headers })
    },
    [`${backend}${functionPath}/healthz`]: ({ headers: asked }: Request) => {
      const hops = [asked.get('x-forwarded-for'), '203.0.113.7'].join(', ')
      const getHeader = (name: string) =>
        (name === 'x-forwarded-for' ? hops : asked.get(name)) ?? undefined
      const seen = countProxies(getHeader, given.LINK_SECRET, now)
      return Response.json({ notSetUp: [], warnings: [], proxies: { seen, trusted: 1 } })
    },
    ...pageWith(
      parseSiteHeaders(
        formatSiteHeaders({ pages: [page, notFound], supabaseUrl: backend, withMaps: false }),
      ).all,
    ),
  })
  expect(await listToDo(answer({}), { given })).toMatchObject([
    { about: 'function', next: expect.stringContaining(`ALLOWED_ORIGINS=${publicUrl}`) },
  ])
  const allowing = answer({ 'access-control-allow-origin': publicUrl })
  expect(await listToDo(allowing, { given })).toEqual([])
  expect(keys).toEqual(['sb_publishable_1', 'sb_publishable_1'])
})
