import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { startSite } from '../server/site-server.ts'
import { readEnv } from '../supabase/functions/submit-to-airtable/env.ts'
import { startAirtableStandIn } from '../testing/airtable-stand-in.ts'
import { startMailStandIn } from '../testing/mail-stand-in.ts'
import { expect, phone, test } from './test.ts'

// Staff get the mail, open its link on a phone and press the button. No script runs on the page.
test.use({ viewport: phone, javaScriptEnabled: false })

const log = { info: () => {}, warn: () => {}, error: () => {} }
let endings: (() => unknown)[] = []

test.afterEach(async () => {
  for (const end of endings.reverse()) await end()
  endings = []
})

async function ring() {
  const mail = await startMailStandIn()
  const airtable = await startAirtableStandIn()
  const dataDir = mkdtempSync(join(tmpdir(), 'e2e-'))
  const env = readEnv({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    PUBLIC_URL: 'https://roofing.example',
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'alerts@example.com',
    ALERT_EMAIL_TO: 'staff@example.com',
    AIRTABLE_API_URL: airtable.url,
    AIRTABLE_TOKEN: airtable.token,
    AIRTABLE_BASE_ID: airtable.baseId,
  })
  const siteDir = join(import.meta.dirname, '../dist')
  const site = await startSite({ env, siteDir, fetch, now: Date.now, log })
  endings.push(
    () => rmSync(dataDir, { recursive: true, force: true }),
    mail.close,
    airtable.close,
    site.stop,
  )
  const url = `http://127.0.0.1:${site.port}`
  const sent = await fetch(`${url}/functions/v1/submit-to-airtable`, {
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Jane <b>Doe</b>',
      email: 'jane@example.com',
      phone: '(555) 123-4567',
      address: '1 Ridge Rd, Denver, CO 80202',
      serviceType: 'emergency',
    }),
  })
  expect(sent.status).toBe(200)
  await expect.poll(() => mail.mails.length).toBe(1)
  const path = mail.mails[0]?.text.match(/roofing\.example(\/answer\/\S+)/)?.[1]
  return { link: url + path, airtable }
}

test('the link in the mail shows the lead, and the button records the answer', async ({ page }) => {
  const { link, airtable } = await ring()
  await page.goto(link)
  await expect(page.getByText('Jane <b>Doe</b>')).toBeVisible()
  await expect(page.getByText('EMERGENCY', { exact: true })).toBeVisible()
  const button = page.getByRole('button', { name: 'I am calling now' })
  await expect(button).toBeInViewport()
  // The style applies, so its hash in the header is right.
  await expect(button).toHaveCSS('background-color', 'rgb(180, 80, 30)')
  await expect.poll(() => airtable.records[0]?.fields.Status).toBe('New')

  await button.click()
  await expect(page.getByRole('heading', { name: 'You are calling' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Call (555) 123-4567' })).toHaveAttribute(
    'href',
    'tel:5551234567',
  )
  await expect.poll(() => airtable.records[0]?.fields.Status).toBe('Called')

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Already answered' })).toBeVisible()
  await expect(page.getByRole('button')).toHaveCount(0)
})

test.describe('with scripts', () => {
  test.use({ javaScriptEnabled: true, expectedErrors: /404 \(Not Found\)/ })

  test('axe finds nothing on the answer page, before and after', async ({ page }) => {
    const { link } = await ring()
    const check = async () =>
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
    await page.goto(link)
    await check()
    await page.getByRole('button').click()
    await expect(page.getByRole('heading', { name: 'You are calling' })).toBeVisible()
    await check()
    await page.goto(`${link.slice(0, -3)}abc`)
    await check()
  })
})
