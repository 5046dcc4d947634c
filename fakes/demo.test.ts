import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Today } from '#leads/desk/today.ts'
import { hours } from '#site/content.ts'
import { postLead } from '#testing/app.ts'
import { createDir } from '#testing/database.ts'
import { findFreePort } from '#testing/processes.ts'
import { jane } from '#testing/saved-leads.ts'
import { spawnProcess, waitUntil } from '#testing/server-process.ts'

// `npm test` builds first, but vitest alone may run without a build.
const testBuilt = test.skipIf(!existsSync('dist/index.html') && !process.env.CI)

testBuilt(
  'starts with sample leads, prints a new one, and leaves no files after Ctrl-C',
  async () => {
    const temp = createDir()
    // The demo must accept the key that is built into the page, and must use the company's time zone.
    const apikey = 'sb_publishable_1'
    const ports = { PORT: '0', DESK_PORT: '0' }
    const env = { TMPDIR: temp, ...ports, VITE_SUPABASE_ANON_KEY: apikey, TZ: 'Pacific/Kiritimati' }
    const demo = spawnProcess(process.execPath, ['fakes/demo.ts'], env)
    const waitFor = (text: RegExp) => waitUntil(() => text.test(demo.output.stdout))
    const site = await demo.findUrl()
    const [, desk = '', token] = demo.output.stdout.match(/(http:\S+)\/#enter=(\S+)/) ?? []
    const post = (path: string, body: object, cookie = '') =>
      fetch(desk + path, {
        method: 'POST',
        headers: { origin: desk, cookie },
        body: JSON.stringify(body),
      })
    const entered = await post('/api/session', { token, person: 'Dana' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    const today: Today = await (await fetch(`${desk}/api/today`, { headers: { cookie } })).json()
    expect(today.hours.timeZone).toBe(hours.timeZone)
    expect(today.warnings).toEqual([])
    const states = today.leads.map(({ name, status, isSuspect }) =>
      [name, isSuspect ? 'spam' : status].join(': '),
    )
    expect(states).toEqual([
      'Karen Lindgren: open',
      'Miguel Torres: open',
      'Beth Sorensen: open',
      'Mai Xiong: call-again',
      'Deshawn Carter: calling',
      'Rick Palmer: not-a-lead',
      'Angela Brooks: done',
      'BEST SEO RANKING: spam',
    ])
    // The demo must not print the sample leads, because they would hide what happens next.
    expect(demo.output.stdout).not.toContain('Angela Brooks')

    await post('/api/crew', { email: 'joe@example.com' }, cookie)
    await waitFor(/Email to joe@example\.com: Dana invited you/)
    expect(await (await fetch(site)).text()).toContain('<form')
    const lead = { ...jane, serviceType: 'emergency' }
    expect((await postLead(site, lead, { apikey })).status).toBe(200)
    await waitFor(/Email to crew@example\.com: EMERGENCY: call Jane Doe/)
    await waitFor(/Mark as called: \S+\n/)
    await waitFor(/Email to jane@example\.com: /)
    await waitFor(/Row in Airtable: Jane Doe.*Emergency Service.*New/)
    const { stdout } = demo.output
    const airtable = stdout.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]
    expect(await (await fetch(`${airtable}/records.json`)).text()).toContain('Jane Doe')
    const link = stdout.match(/Mark as called: (\S+)/)?.[1] ?? ''
    expect((await fetch(link, { method: 'POST' })).status).toBe(200)

    expect(await demo.kill('SIGINT')).toBe(0)
    expect(demo.output.stdout).toContain('The demo has ended')
    expect(readdirSync(temp)).toEqual([])
    await expect(fetch(site)).rejects.toThrow()
  },
)

testBuilt('uses the ports in PORT and DESK_PORT, and no others if they are in use', async () => {
  const [port, deskPort] = [String(await findFreePort()), String(await findFreePort())]
  const start = (PORT: string) => {
    const env = { TMPDIR: createDir(), PORT, DESK_PORT: deskPort }
    return spawnProcess(process.execPath, ['fakes/demo.ts'], env)
  }
  const first = start(port)
  expect(await first.findUrl()).toBe(`http://127.0.0.1:${port}`)
  expect(first.output.stdout).toContain(`http://localhost:${deskPort}/#enter=`)

  const second = start(port)
  await expect(second.findUrl()).rejects.toThrow('The process exited')
  expect(second.output).toEqual({
    stdout: '',
    stderr: `Port ${port} is in use. Stop the other program, or set PORT to another number.\n`,
  })
  const third = start('0')
  await third.findUrl()
  expect(third.output.stdout).toContain(`the desk could not start: Port ${deskPort} is in use`)
})
