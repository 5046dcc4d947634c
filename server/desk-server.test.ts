import { expect, it } from 'vitest'
import { hourMs } from '#leads/time-units.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createDir, createLocation, openLocation } from '#testing/database.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { startTestSite, waitUntil } from '#testing/server-process.ts'

async function redeemLink({ origin, hash }: URL): Promise<string> {
  const body = JSON.stringify({ token: hash.replace('#enter=', ''), person: 'Sam' })
  const init = { method: 'POST', headers: { origin }, body }
  const entered = await fetch(`${origin}/api/session`, init)
  return entered.headers.get('set-cookie')?.split(';')[0] ?? ''
}

it('serves the desk on a separate port, hidden from the public site', async () => {
  const { desk, url: publicUrl } = await startTestSite({ DATA_DIR: createDir() })
  const link = new URL((await desk?.makeLink()) ?? '')
  const page = await fetch(link.origin)
  expect(await page.text()).toContain(' desk</title>')
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(page.headers.get('strict-transport-security')).toBeNull()
  expect((await fetch(`${link.origin}/api/today`)).status).toBe(401)
  expect((await fetch(`${link.origin}/nothing`)).status).toBe(404)
  const moved = await fetch(link.origin.replace('localhost', '127.0.0.1'), { redirect: 'manual' })
  expect(moved.headers.get('location')).toBe(`${link.origin}/`)
  for (const path of ['/api/today', '/api/session', '/desk', '/manifest.webmanifest'])
    expect((await fetch(publicUrl + path)).status).toBe(404)

  const cookie = await redeemLink(link)
  const today = await fetch(`${link.origin}/api/today`, { headers: { cookie } })
  expect(await today.json()).toMatchObject({ me: { person: 'Sam' }, leads: [] })

  await postLead(publicUrl, { ...testLead, name: '</script><b>Zoë</b>' })
  const signedIn = await fetch(link.origin, { headers: { cookie } })
  const html = await signedIn.text()
  expect(html).toContain('&lt;/script&gt;&lt;b&gt;Zoë&lt;/b&gt;</a>')
  const [, data = ''] = html.match(/id="start">(.*?)<\/script>/s) ?? []
  expect(JSON.parse(data).data.leads).toMatchObject([{ name: '</script><b>Zoë</b>' }])
  expect(signedIn.headers.get('cache-control')).toBe('no-store')
  expect(signedIn.headers.get('content-security-policy')).toBe(policy)
  expect(signedIn.headers.get('strict-transport-security')).toBeNull()
  expect(await (await fetch(link.origin)).text()).not.toContain('Zoë')
})

it('reads the warnings again as soon as someone has acted', async () => {
  const [DATA_DIR, ALERT_WEBHOOK_URL] = [createDir(), 'https://hooks.invalid']
  const db = await openLocation({ dataDir: DATA_DIR })
  await storeLead(db, { at: Date.now() - hourMs, recipients: ['webhook'] })
  await db.kysely
    .updateTable('deliveries')
    .set({ nextAttemptAt: Date.now() * 2 })
    .execute()
  const { desk } = await startTestSite({ DATA_DIR, ALERT_WEBHOOK_URL })
  const link = new URL((await desk?.makeLink()) ?? '')
  const headers = { cookie: await redeemLink(link), origin: link.origin }
  const readToday = async () => (await fetch(`${link.origin}/api/today`, { headers })).text()
  expect(await readToday()).toContain('webhook-late')
  await db.kysely.deleteFrom('deliveries').execute()
  await fetch(`${link.origin}/api/retry`, { method: 'POST', headers })
  expect(await readToday()).not.toContain('webhook-late')
})

it('publishes the page to every process', async () => {
  const { databaseUrl } = await createLocation('postgres')
  const variables = { DATA_DIR: createDir(), DATABASE_URL: databaseUrl }
  const [first, second] = [await startTestSite(variables), await startTestSite(variables)]
  const link = new URL((await first.desk?.makeLink()) ?? '')
  const headers = { cookie: await redeemLink(link), origin: link.origin }
  const call = async (method: string, path: string, body?: object) =>
    (
      await fetch(`${link.origin}/api/page${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
    ).json()
  const readPage = async ({ url }: typeof first) => (await fetch(url)).text()
  const built = await readPage(second)

  const { draft, number: base } = await call('GET', '')
  draft.hero.headline = 'Published on the desk'
  const { number } = await call('PUT', '/draft', { base, draft })
  const preview = await (await fetch(`${link.origin}/api/page/preview`, { headers })).text()
  const [picture = ''] = preview.match(/\/assets\/hero-[^" ]+/) ?? []
  expect((await fetch(link.origin + picture)).headers.get('content-type')).toMatch(/^image/)
  expect(await readPage(first)).toBe(built)

  await call('POST', '/publish', { number })
  expect(await readPage(first)).toContain('Published on the desk')
  await waitUntil(async () => (await readPage(second)).includes('Published on the desk'))
})
