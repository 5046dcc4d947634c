import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import pg from 'pg'
import { openDatabase } from '../server/database.ts'
import { startSite } from '../server/site-server.ts'
import { company, form as words } from '../site/content.ts'
import { readEnv } from '../supabase/functions/submit-to-airtable/env.ts'
import { type AirtableStandIn, startAirtableStandIn } from '../testing/airtable-stand-in.ts'
import { startPostgres, type TestPostgres } from '../testing/postgres.ts'
import { siteDir } from './site.ts'
import { expect, test } from './test.ts'

// A lead's whole way, with nothing in between replaced: the built page in a browser, supabase-js,
// the function, the database, the delivery, a row.

const functionPath = '/functions/v1/submit-to-airtable'
const log = { info: () => {}, warn: () => {}, error: () => {} }

test.describe.configure({ mode: 'default' })

let postgres: TestPostgres | undefined
let endings: (() => unknown)[] = []

test.afterEach(async () => {
  for (const end of endings.reverse()) await end()
  endings = []
})
test.afterAll(() => postgres?.remove())

async function createPostgresDatabase(): Promise<string> {
  let server = process.env.TEST_DATABASE_URL
  if (!server) {
    postgres ??= await startPostgres()
    server = postgres.url
  }
  const name = `leads_${crypto.randomUUID().replaceAll('-', '')}`
  const run = async (text: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  await run(`create database ${name}`)
  endings.push(() => run(`drop database ${name} with (force)`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function startStandIn() {
  const standIn = await startAirtableStandIn()
  endings.push(standIn.close)
  const { url, token, baseId } = standIn
  const settings = { AIRTABLE_API_URL: url, AIRTABLE_TOKEN: token, AIRTABLE_BASE_ID: baseId }
  return { standIn, settings }
}

async function start(settings: Record<string, string>): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'e2e-'))
  endings.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, ...settings })
  const site = await startSite({ env, siteDir, fetch, now: Date.now, log })
  endings.push(site.stop)
  return `http://127.0.0.1:${site.port}`
}

async function startDeno(settings: Record<string, string>): Promise<string> {
  const root = join(import.meta.dirname, '..')
  const entry = 'supabase/functions/submit-to-airtable/index.ts'
  const args = ['run', '--allow-all', '--node-modules-dir=manual', '--cached-only', entry]
  const child = spawn(join(root, 'node_modules/.bin/deno'), args, {
    cwd: root,
    // A group of its own: the command is a script that starts the real one, and both must go.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...settings,
      DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0',
      NO_COLOR: '1',
    },
  })
  endings.push(() => child.pid && process.kill(-child.pid, 'SIGKILL'))
  return new Promise((resolve, reject) => {
    let said = ''
    const listen = (data: Buffer) => {
      said += data
      const port = said.match(/127\.0\.0\.1:(\d+)\//)?.[1]
      if (port) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => reject(new Error(said)))
  })
}

async function sendForm(page: Page, name: string) {
  await page.getByLabel(words.labels.name).fill(name)
  await page.getByLabel(words.labels.email).fill('jane@example.com')
  await page.getByLabel(words.labels.phone, { exact: true }).fill('(555) 123-4567')
  await page.getByLabel(words.labels.address).fill('1 Ridge Rd, Denver, CO 80202')
  await page.getByLabel(words.labels.serviceType).selectOption('roof-repair')
  await page.locator('#estimate button[type=submit]').click()
}

async function expectRow({ records }: AirtableStandIn, name: string) {
  await expect.poll(() => records.length).toBe(1)
  expect(records[0]?.fields).toMatchObject({
    Name: name,
    Email: 'jane@example.com',
    Phone: '(555) 123-4567',
    Address: '1 Ridge Rd, Denver, CO 80202',
    Service: 'Roof Repair',
  })
}

for (const engine of ['SQLite', 'Postgres']) {
  test(`a lead goes from the form to a row, over ${engine}`, async ({ page }) => {
    const { standIn, settings } = await startStandIn()
    const database = engine === 'Postgres' ? { DATABASE_URL: await createPostgresDatabase() } : {}
    await page.goto(await start({ ...settings, ...database } as Record<string, string>))
    await sendForm(page, 'Zoë Müller-Žižek')
    await expect(
      page.getByRole('listitem').filter({ hasText: words.toasts.received }),
    ).toBeVisible()
    await expect(page.getByLabel(words.labels.name)).toHaveValue('')
    await expectRow(standIn, 'Zoë Müller-žižek')
  })
}

test('a lead goes from the form to a row, over the function on Deno', async ({ page }) => {
  const { standIn, settings } = await startStandIn()
  const databaseUrl = await createPostgresDatabase()
  await (await openDatabase({ databaseUrl, dataDir: '' })).close()
  const edge = await startDeno({ ...settings, SUPABASE_DB_URL: databaseUrl })
  await page.route(`**${functionPath}`, (route) =>
    route.continue({ url: `${edge}/submit-to-airtable` }),
  )
  await page.goto(await start({}))
  await sendForm(page, 'Jane Doe')
  await expect(page.getByRole('listitem').filter({ hasText: words.toasts.received })).toBeVisible()
  await expectRow(standIn, 'Jane Doe')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a lead goes from the form to a row, and back to the page', async ({ page }) => {
    const { standIn, settings } = await startStandIn()
    const url = await start(settings)
    await page.goto(url)
    await sendForm(page, 'Jane Doe')
    await expect(page).toHaveURL(`${url}/#estimate-received`)
    await expect(page.getByText(words.toasts.received)).toBeInViewport()
    await expect(page.getByText(words.toasts.failed)).toBeHidden()
    await expectRow(standIn, 'Jane Doe')
  })

  test('a failure says so, and offers the number', async ({ page }) => {
    const url = await start({ RATE_LIMIT_PER_MINUTE: '1' })
    await page.goto(url)
    await sendForm(page, 'Jane Doe')
    await page.goto(url)
    await sendForm(page, 'John Doe')
    await expect(page.getByText(words.toasts.failed)).toBeInViewport()
    const outcome = page.locator('#estimate-failed')
    await expect(outcome.getByRole('link', { name: company.phone })).toBeVisible()
  })
})

test.describe('from another origin', () => {
  // The page's own policy would keep it from calling anyone else; here the function's is asked.
  test.use({ bypassCSP: true, expectedErrors: /CORS|Failed to load resource/ })

  test('the browser lets a page call the function and read Retry-After only if it is allowed', async ({
    page,
  }) => {
    const site = await start({})
    const allowing = await start({ ALLOWED_ORIGINS: site, RATE_LIMIT_PER_MINUTE: '1' })
    const refusing = await start({})
    await page.goto(site)
    const call = (backend: string) =>
      page.evaluate(async (url) => {
        const headers = {
          apikey: 'public-anon-key',
          authorization: 'Bearer public-anon-key',
          'content-type': 'application/json',
          'x-client-info': 'supabase-js-web/2',
          'idempotency-key': crypto.randomUUID(),
        }
        const lead = { name: 'A', email: 'a@example.com', phone: '5551234567', address: 'x' }
        const init = { method: 'POST', headers, body: JSON.stringify({ ...lead, serviceType: '' }) }
        try {
          const { status, headers: answered } = await fetch(url, init)
          return [status, Number(answered.get('retry-after')) > 0]
        } catch {
          return 'kept from it'
        }
      }, `${backend}${functionPath}`)
    expect(await call(allowing)).toEqual([200, false])
    expect(await call(allowing)).toEqual([429, true])
    expect(await call(refusing)).toBe('kept from it')
  })
})
