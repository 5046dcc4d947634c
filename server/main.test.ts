import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createClient } from '@supabase/supabase-js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConsent } from '#leads/store/stored-settings.ts'
import * as content from '#site/content.ts'
import { fillIn } from '#site/schema/placeholders.ts'
import { startAirtable } from '#testing/airtable.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createDir, createLocation, engines, openLocation } from '#testing/database.ts'
import { listLeads } from '#testing/saved-leads.ts'
import { spawnServer, startTestSite, waitUntil } from '#testing/server-process.ts'
import { listSamplePaths } from './machine-facts.ts'

const startFake = () => startAirtable({ now: Date.now })

const aboutTheVisitor = /zoe|Zoë|123-4567|Main St|127\.0\.0\.1/

it.each(engines)(
  'serves the site and delivers a lead from supabase-js to Airtable, on %s',
  async (engine) => {
    const { fake } = await startFake()
    const { dataDir, databaseUrl } = await createLocation(engine)
    const site = await startTestSite({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...fake.env })
    expect((await fetch(site.url)).status).toBe(200)
    expect((await fetch(`${site.url}/nowhere`)).status).toBe(404)
    const client = createClient(site.url, 'public-anon-key')
    const invoke = () => client.functions.invoke('submit-to-airtable', { body: testLead })
    const { error, response } = await invoke()
    expect(error).toBeNull()
    expect(response?.headers.get('x-call-by')).toMatch(/^\d{4}-.*Z$/)
    await waitUntil(() => fake.records.length === 1)
    const health = await fetch(`${site.url}/healthz`)
    expect(await health.json()).toEqual({ ok: true, warnings: ['no-alerts'] })
    expect(fake.records.map(({ fields }) => [fields.Name, fields.Service])).toEqual([
      ['Zoë', 'Roof Repair'],
    ])
    await site.stop()
    expect(JSON.stringify(site.log.entries)).not.toMatch(aboutTheVisitor)
  },
)

it('stores leads while Airtable is not set up, and sends them once it is', async () => {
  const DATA_DIR = createDir()
  const unset = await startTestSite({ DATA_DIR })
  expect((await postLead(unset.url)).status).toBe(200)
  await unset.stop()
  const { fake } = await startFake()
  await startTestSite({ DATA_DIR, ...fake.env })
  await waitUntil(() => fake.records.length === 1)
})

it.each([
  ['a port in use', async () => ({ PORT: await occupyPort() }), /^Port \d+ is in use\. .+\.$/],
  [
    'an invalid data folder',
    async () => ({ DATA_DIR: '/dev/null/data' }),
    /^Cannot open the database \S+ \(DATA_DIR\): .+\.$/,
  ],
  [
    'an unreachable database',
    async () => ({ DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }),
    /^Cannot connect to the database in DATABASE_URL: .+\.$/,
  ],
])('does not start with %s, and explains why', async (_, makeEnv, sentence) => {
  const variables = { DATA_DIR: createDir(), ...(await makeEnv()) }
  await expect(startTestSite(variables)).rejects.toThrow(sentence)
})

it('starts the site even if the desk’s port is in use', async () => {
  const DESK_PORT = await occupyPort()
  const { desk, url, log } = await startTestSite({ DATA_DIR: createDir(), DESK_PORT })
  expect(desk).toBeUndefined()
  expect((await fetch(url)).status).toBe(200)
  expect(log.entries.map(({ message }) => message)).toContain(
    `the desk could not start: Port ${DESK_PORT} is in use. Stop the other program, or set DESK_PORT to another number.`,
  )
})

describe('npm start', () => {
  it('exits with 1 and a plain message if it cannot start', async () => {
    const server = spawnServer({ DATA_DIR: createDir(), TRUSTED_PROXIES: 'two' })
    expect(await server.exited).toBe(1)
    expect(server.output.stderr).toMatch(
      /^Please fix these environment variables:\n {2}TRUSTED_PROXIES must be .+\n$/,
    )
    expect(server.output.stdout).toBe('')
  })

  it('on a public site, reports missing settings, and finishes deliveries on SIGTERM', async () => {
    const { fake } = await startFake()
    fake.nextFaults.push({ kind: 'slow', delayMs: 200 })
    const dataDir = createDir()
    const isPublic = { PUBLIC_URL: 'https://www.example.com', HOST: undefined }
    const server = spawnServer({ DATA_DIR: dataDir, ...isPublic, ...fake.env })
    expect((await postLead(await server.findUrl())).status).toBe(200)
    await waitUntil(() => fake.records.length === 1)
    expect(await server.kill('SIGTERM')).toBe(0)
    const db = await openLocation({ dataDir })
    expect((await listLeads(db, { limit: 1 }))[0]?.deliveries[0]?.state).toBe('sent')
    const { version, text } = fillIn({ ...content }).form.consent
    expect(await readConsent(db, version)).toBe(text)

    const { stdout, stderr } = server.output
    expect(stdout).toContain('No alerts are set up')
    expect(stdout).not.toContain('The desk is at')
    expect(stdout).toMatch(/^The desk is off.* DESK_URL.*$/m)
    expect(stdout).not.toContain('On a phone')
    if (listSamplePaths(content).length > 0) {
      expect(stdout.match(/has sample content/g)).toHaveLength(1)
      expect(stderr.match(/"sample-content"/g)).toHaveLength(1)
    }
    expect(stdout + stderr).not.toMatch(aboutTheVisitor)
  })

  it('on a laptop, prints a sign-in link and an address for a phone, and points to doctor', async () => {
    const server = spawnServer({ DATA_DIR: createDir(), DESK_PORT: '0', HOST: undefined })
    const { port } = new URL(await server.findUrl())
    expect(await server.kill('SIGTERM')).toBe(0)
    const { stdout, stderr } = server.output
    expect(stdout).toMatch(/^The desk is at .+\nSign in .+#enter=.+$/m)
    const all = Object.values(networkInterfaces()).flat()
    const lan = all.find((each) => each?.family === 'IPv4' && !each.internal)?.address
    if (lan) expect(stdout).toContain(`On a phone on the same network: http://${lan}:${port}\n`)
    expect(stdout).toContain('No alerts are set up')
    expect(stdout).toContain('before going live, run: npm run doctor')
    expect(stdout + stderr).not.toContain('sample content')
  })

  it('prints no sign-in link for a public desk, and no phone address if HOST is localhost', async () => {
    const desk = { DESK_URL: 'https://desk.example.com', DESK_PORT: '0' }
    const server = spawnServer({ DATA_DIR: createDir(), ...desk, HOST: '127.0.0.1' })
    await server.findUrl()
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(server.output.stdout).toContain('The desk is at ')
    expect(server.output.stdout).not.toMatch(/#enter=|On a phone/)
  })
})

async function occupyPort(): Promise<string> {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    other.close()
  })
  const address = other.address()
  return String(typeof address === 'object' && address?.port)
}
