import { expect, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { checkSite, readSite } from './site-checks.ts'

const publicUrl = 'https://www.roofing.test'
const deskUrl = 'https://desk.roofing.test'
const backend = 'https://abc.supabase.co'
const functionPath = '/functions/v1/submit-to-airtable'

const page = '<html>'

type Site = Record<string, (request: Request) => Response>
const answer = (url: string, body: string | object, status = 200): Site => ({
  [url]: () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }),
})
/** A site without problems. */
const healthySite: Site = {
  ...answer(`${publicUrl}/`, page),
  ...answer(`${publicUrl}/healthz`, { warnings: [] }),
  ...answer(`${publicUrl}${functionPath}`, '', 415),
  ...answer(`${deskUrl}/api/today`, { error: { message: 'Please sign in.' } }, 401),
}

async function find(changes: Site = {}, given: Record<string, string> = {}) {
  const responses = { ...healthySite, ...changes }
  const raw = { PUBLIC_URL: publicUrl, DESK_URL: deskUrl, TRUSTED_PROXIES: '1', ...given }
  const env = readEnv(raw)
  const site = await readSite(env, raw, async (input, init) => {
    const request = new Request(input, init)
    const answers = responses[request.url]
    if (!answers) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    return answers(request)
  })
  return [...checkSite({ env, raw, site, known: ['no-alerts'] })]
}
const findToDo = async (...args: Parameters<typeof find>) =>
  (await find(...args)).filter(({ id }) => id !== 'proxies')

test('reports nothing on a healthy site except a reminder to check the proxies', async () => {
  const text = expect.stringMatching(/^TRUSTED_PROXIES is 1\. It must be the number of proxies/)
  expect(await find()).toEqual([{ id: 'proxies', state: 'check', text, next: expect.any(String) }])
})

test.each(['', 'http://www.roofing.test'])('sends no requests with PUBLIC_URL=%s', async (url) => {
  expect(await find({}, { PUBLIC_URL: url })).toEqual([])
})

test.each<[string, Site, RegExp]>([
  ['an error page', answer(`${publicUrl}/`, '', 502), /does not show the page \(502\)/],
  [
    'an untrusted certificate',
    {
      [`${publicUrl}/`]: () => {
        throw new TypeError('fetch failed', { cause: { code: 'CERT_HAS_EXPIRED' } })
      },
    },
    /do not trust the certificate .*\(CERT_HAS_EXPIRED\)/,
  ],
  ['a database fault', answer(`${publicUrl}/healthz`, {}, 503), /confirm .*\(503\)/],
  ['a page, not a report', answer(`${publicUrl}/healthz`, '<html>'), /confirm .*\(200\)/],
  [
    'a warning',
    answer(`${publicUrl}/healthz`, { warnings: ['no-alerts', 'email-late'] }),
    /^The running site reports: email-late\.$/,
  ],
  ['a rejected key', answer(`${publicUrl}${functionPath}`, '', 401), /rejects the page’s key/],
  [
    'another page at the desk’s address',
    answer(`${deskUrl}/api/today`, page),
    /desk\.\S+ .*\(200\)/,
  ],
  [
    'an untrusted certificate on the desk',
    {
      [`${deskUrl}/api/today`]: () => {
        throw new TypeError('fetch failed', { cause: { code: 'CERT_HAS_EXPIRED' } })
      },
    },
    /do not trust the certificate for https:\/\/desk/,
  ],
  ['no function', answer(`${publicUrl}${functionPath}`, '', 404), /as expected \(404\)/],
])('reports %s and nothing else', async (_, changes, sentence) => {
  expect(await findToDo(changes)).toMatchObject([{ text: expect.stringMatching(sentence) }])
})

test('checks that Supabase accepts the page’s key and origin', async () => {
  const given = {
    VITE_SUPABASE_URL: backend,
    VITE_SUPABASE_ANON_KEY: 'sb_publishable_1',
  }
  const supabase = (headers: Record<string, string>): Site => ({
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
