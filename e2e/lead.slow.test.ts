import { join } from 'node:path'
import { openDatabase } from '#server/database.ts'
import { findCaddy, startCaddy } from '#testing/caddy.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startProcess, waitUntil } from '#testing/processes.ts'
import { functionUrl } from './form.ts'
import { expectRow, test } from './own-site.ts'
import { expect } from './test.ts'

// server/main.test.ts tests Node with PostgreSQL.
test('delivers a lead from the form to Airtable with Deno and PostgreSQL', async ({
  page,
  form,
  startSite,
  airtable,
  endings,
}) => {
  const { url: databaseUrl, remove } = await startPostgres()
  endings.push(remove)
  await (await openDatabase({ databaseUrl, dataDir: '' })).close()
  const deno = join(import.meta.dirname, '../node_modules/.bin/deno')
  const entry = 'supabase/functions/submit-to-airtable/index.ts'
  const args = ['run', '--allow-all', '--node-modules-dir=manual', '--cached-only', entry]
  const edge = startProcess(deno, args, {
    ...airtable.env,
    SUPABASE_DB_URL: databaseUrl,
    DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0',
    NO_COLOR: '1',
  })
  endings.push(() => edge.kill('SIGKILL'))
  const findPort = () =>
    (edge.output.stdout + edge.output.stderr).match(/127\.0\.0\.1:(\d+)\//)?.[1]
  await waitUntil(() => findPort() !== undefined)
  const url = `http://127.0.0.1:${findPort()}/submit-to-airtable`
  await page.route(functionUrl, (route) => route.continue({ url }))
  await page.goto(await startSite())
  await form.fillIn()
  await form.press()
  await expectRow(airtable)
})

test.describe('behind Caddy', () => {
  // The certificate is from Caddy's local CA. Everything else is as in production.
  test.use({ ignoreHTTPSErrors: true, expectedErrors: /404/ })
  test.skip(!findCaddy() && !process.env.CI, 'Caddy is not installed.')

  test('loads the page and confirms a lead over HTTPS', async ({
    page,
    form,
    startSite,
    endings,
  }) => {
    const site = new URL(await startSite({ TRUSTED_PROXIES: '1' }))
    const caddy = await startCaddy([site.host])
    endings.push(caddy.stop, () => page.goto('about:blank'))
    const url = `https://localhost:${caddy.httpsPort}`
    const response = await page.goto(url)
    expect(response?.headers()['content-encoding']).toBe('br')
    const protocol = await page.evaluate(
      () => performance.getEntriesByType('navigation')[0]?.toJSON().nextHopProtocol,
    )
    expect(['h2', 'h3']).toContain(protocol)
    await form.fillIn()
    await form.press()
    await expect(form.name).toHaveValue('')
    expect((await page.goto(`${url}/nowhere`))?.status()).toBe(404)
  })
})
