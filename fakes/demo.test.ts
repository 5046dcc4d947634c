import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { postLead } from '#testing/app.ts'
import { createDir } from '#testing/database.ts'
import { jane } from '#testing/saved-leads.ts'
import { spawnProcess, waitUntil } from '#testing/server-process.ts'

// `npm test` builds first, but vitest alone may run without a build.
test.skipIf(!existsSync('dist/index.html') && !process.env.CI)(
  'prints a new lead as a row and an email, and leaves no files after Ctrl-C',
  async () => {
    const temp = createDir()
    // The demo must accept the key that the page was built with.
    const apikey = 'sb_publishable_1'
    const env = { TMPDIR: temp, PORT: '0', VITE_SUPABASE_ANON_KEY: apikey }
    const demo = spawnProcess(process.execPath, ['fakes/demo.ts'], env)
    const waitFor = (text: RegExp) => waitUntil(() => text.test(demo.output.stdout))
    const site = await demo.findUrl()
    expect(await (await fetch(site)).text()).toContain('<form')
    const lead = { ...jane, serviceType: 'emergency' }
    expect((await postLead(site, lead, { apikey })).status).toBe(200)

    await waitFor(/Email to staff: EMERGENCY: call Jane Doe/)
    await waitFor(/Mark as called: \S+\n/)
    await waitFor(/Email to the homeowner: /)
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
