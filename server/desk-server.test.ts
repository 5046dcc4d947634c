import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { testLead } from '#testing/app.ts'
import { createDir } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { startSite } from './site-server.ts'

async function start(variables: Record<string, string> = {}) {
  const log = createTestLog()
  const env = readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: createDir(), ...variables })
  const site = await startSite({ env, siteDir: 'dist', fetch, now: Date.now, log })
  onTestFinished(() => site.stop())
  return { log, desk: site.desk, publicUrl: `http://127.0.0.1:${site.port}` }
}

it('serves the desk on a separate port, hidden from the public site', async () => {
  const { desk, publicUrl } = await start()
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

  const entered = await fetch(`${link.origin}/api/session`, {
    method: 'POST',
    headers: { origin: link.origin },
    body: JSON.stringify({ token: link.hash.replace('#enter=', ''), person: 'Sam' }),
  })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  const today = await fetch(`${link.origin}/api/today`, { headers: { cookie } })
  expect(await today.json()).toMatchObject({ me: { person: 'Sam' }, leads: [] })

  await fetch(`${publicUrl}/functions/v1/submit-to-airtable`, {
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
    body: JSON.stringify({ ...testLead, name: '</script><b>Zoë</b>' }),
  })
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

it('starts the site even if the port of the desk is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  onTestFinished(() => {
    taken.close()
  })
  const { port } = taken.address() as AddressInfo
  const { desk, publicUrl, log } = await start({ DESK_PORT: String(port) })
  expect(desk).toBeUndefined()
  expect((await fetch(publicUrl)).status).toBe(200)
  expect(log.entries.map(({ message }) => message)).toContain(
    `the desk could not start: Port ${port} is in use. Stop the other program, or set DESK_PORT to another number.`,
  )
})
