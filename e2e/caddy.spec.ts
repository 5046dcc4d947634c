import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSite } from '../server/site-server.ts'
import { form as words } from '../site/content.ts'
import { readEnv } from '../supabase/functions/submit-to-airtable/env.ts'
import { findCaddy, startCaddy } from '../testing/caddy.ts'
import { fields, fillIn, submitButton, toast } from './form.ts'
import { siteDir } from './site.ts'
import { expect, test } from './test.ts'

// Caddy's own certificate; everything else is as an owner's visitors have it.
test.use({ ignoreHTTPSErrors: true, expectedErrors: /404/ })
test.skip(!findCaddy() && !process.env.CI, 'Caddy is not installed')

test('behind Caddy, over HTTPS, a visitor gets from the page to the confirmation', async ({
  page,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'e2e-caddy-'))
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const env = readEnv({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, TRUSTED_PROXIES: '1' })
  const site = await startSite({ env, siteDir, fetch, now: Date.now, log })
  const caddy = await startCaddy([`127.0.0.1:${site.port}`])
  try {
    const url = `https://localhost:${caddy.httpsPort}`
    const response = await page.goto(url)
    expect(response?.headers()['content-encoding']).toBe('br')
    const protocol = await page.evaluate(
      () =>
        performance
          .getEntriesByType('navigation')
          .map((entry) => entry.toJSON().nextHopProtocol)[0],
    )
    expect(['h2', 'h3']).toContain(protocol)
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    await expect(fields(page).name).toHaveValue('')
    expect((await page.goto(`${url}/nowhere`))?.status()).toBe(404)
  } finally {
    await page.goto('about:blank')
    await caddy.stop()
    await site.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
