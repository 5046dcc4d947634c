import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '#server/database.ts'
import { form as words } from '#site/content.ts'
import { startPostgres } from '#testing/postgres.ts'
import { fillIn, functionUrl, submitButton, toast } from './form.ts'
import { expectRow, test as ownSite } from './own-site.ts'
import { expect } from './test.ts'

type Postgres = { databaseUrl: string }

const test = ownSite.extend<Postgres, { server: string }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
    async ({}, use) => {
      if (process.env.TEST_DATABASE_URL) return use(process.env.TEST_DATABASE_URL)
      const postgres = await startPostgres()
      await use(postgres.url)
      await postgres.remove()
    },
    { scope: 'worker' },
  ],
  databaseUrl: async ({ server, endings }, use) => {
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
    await use(url.href)
  },
})

function startDeno(settings: Record<string, string>, endings: (() => unknown)[]): Promise<string> {
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

test('a lead goes from the form to a row, over PostgreSQL', async ({
  page,
  startSite,
  startAirtable,
  databaseUrl,
}) => {
  const { airtable, settings } = await startAirtable()
  await page.goto(await startSite({ ...settings, DATABASE_URL: databaseUrl }))
  await fillIn(page)
  await submitButton(page).click()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  await expectRow(airtable)
})

test('a lead goes from the form to a row, over the function on Deno', async ({
  page,
  startSite,
  startAirtable,
  databaseUrl,
  endings,
}) => {
  const { airtable, settings } = await startAirtable()
  await (await openDatabase({ databaseUrl, dataDir: '' })).close()
  const edge = await startDeno({ ...settings, SUPABASE_DB_URL: databaseUrl }, endings)
  await page.route(functionUrl, (route) => route.continue({ url: `${edge}/submit-to-airtable` }))
  await page.goto(await startSite())
  await fillIn(page)
  await submitButton(page).click()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  await expectRow(airtable)
})
