import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { jane } from '#testing/saved-leads.ts'

const root = join(import.meta.dirname, '..')
const isBuilt = existsSync(join(root, 'dist/index.html'))

// `npm test` builds first, but vitest alone may run without a build.
test.skipIf(!isBuilt && !process.env.CI)(
  'prints a new lead as a row and an email, and leaves no files after Ctrl-C',
  async () => {
    const temp = mkdtempSync(join(tmpdir(), 'demo-test-'))
    onTestFinished(() => rm(temp, { recursive: true, force: true }))
    const demo = spawn(join(root, 'node_modules/.bin/node'), ['fakes/demo.ts'], {
      cwd: root,
      // The demo must accept the key that the page was built with.
      env: {
        PATH: process.env.PATH,
        TMPDIR: temp,
        PORT: '0',
        VITE_SUPABASE_ANON_KEY: 'sb_publishable_1',
      },
    })
    onTestFinished(() => {
      demo.kill('SIGTERM')
    })
    let out = ''
    demo.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    const wait = { timeout: 120_000, interval: 50 }
    await vi.waitFor(() => expect(out).toContain('Ctrl-C'), wait)
    const site = out.match(/http:\/\/localhost:\d+/)?.[0]
    const airtable = out.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]

    expect(await (await fetch(`${site}/`)).text()).toContain('<form')
    const answer = await fetch(`${site}/functions/v1/submit-to-airtable`, {
      method: 'POST',
      headers: { apikey: 'sb_publishable_1', 'content-type': 'application/json' },
      body: JSON.stringify({ ...jane, serviceType: 'emergency' }),
    })
    expect(answer.status).toBe(200)
    await vi.waitFor(() => expect(out).toMatch(/Jane Doe.*Emergency Service.*New/), wait)
    expect(await (await fetch(`${airtable}/records.json`)).text()).toContain('Jane Doe')

    // The button behind the link in the email sets the Status of the row.
    await vi.waitFor(() => expect(out).toContain('Email to staff: EMERGENCY: call Jane Doe'), wait)
    await vi.waitFor(() => expect(out).toContain('Email to the homeowner: '), wait)
    const link = out.match(/Mark as called: (\S+)/)?.[1] ?? ''
    expect((await fetch(link, { method: 'POST' })).status).toBe(200)
    await vi.waitFor(async () => {
      const rows = await (await fetch(`${airtable}/records.json`)).text()
      expect(rows).toContain('Called')
    }, wait)

    demo.kill('SIGINT')
    const [code] = await once(demo, 'exit')
    expect(code).toBe(0)
    expect(out).toContain('The demo has ended')
    expect(readdirSync(temp)).toEqual([])
    await expect(fetch(`${site}/healthz`)).rejects.toThrow()
  },
)
