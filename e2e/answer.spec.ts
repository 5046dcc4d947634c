import AxeBuilder from '@axe-core/playwright'
import { startMailStandIn } from '#demo/mail-stand-in.ts'
import { visitor } from './form.ts'
import { test as ownSite } from './own-site.ts'
import { expect, phone } from './test.ts'

// Staff get the mail, open its link on a phone and press the button. No script runs on the page.
const test = ownSite.extend<{ link: string }>({
  link: async ({ startSite, airtable, endings }, use) => {
    const mail = await startMailStandIn()
    endings.push(mail.close)
    const url = await startSite({
      ...airtable.env,
      PUBLIC_URL: 'https://roofing.example',
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'alerts@example.com',
      ALERT_EMAIL_TO: 'staff@example.com',
    })
    const sent = await fetch(`${url}/functions/v1/submit-to-airtable`, {
      method: 'POST',
      headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
      body: JSON.stringify({ ...visitor, name: 'Jane <b>Doe</b>', serviceType: 'emergency' }),
    })
    expect(sent.status).toBe(200)
    await expect.poll(() => mail.mails.length).toBe(1)
    await use(url + mail.mails[0]?.text.match(/roofing\.example(\/answer\/\S+)/)?.[1])
  },
})

test.use({ viewport: phone, javaScriptEnabled: false })

test('the link in the mail shows the lead, and the button records the answer', async ({
  page,
  link,
  airtable,
}) => {
  const readStatus = () => airtable.records[0]?.fields.Status
  await page.goto(link)
  await expect(page.getByText('Jane <b>Doe</b>')).toBeVisible()
  await expect(page.getByText('EMERGENCY', { exact: true })).toBeVisible()
  const button = page.getByRole('button', { name: 'I am calling now' })
  await expect(button).toBeInViewport()
  // The style applies, so its hash in the header is right.
  await expect(button).toHaveCSS('background-color', 'rgb(180, 80, 30)')
  await expect.poll(readStatus).toBe('New')

  await button.click()
  await expect(page.getByRole('heading', { name: 'You are calling' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Call (555) 123-4567' })).toHaveAttribute(
    'href',
    'tel:5551234567',
  )
  await expect.poll(readStatus).toBe('Called')

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Already answered' })).toBeVisible()
  await expect(page.getByRole('button')).toHaveCount(0)
})

test.describe('with scripts', () => {
  test.use({ javaScriptEnabled: true, expectedErrors: /404 \(Not Found\)/ })

  test('axe finds nothing on the answer page, before and after', async ({ page, link }) => {
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
