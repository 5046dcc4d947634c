import { startFakeMail } from '#fakes/mail.ts'
import brand from '#leads/brand.json' with { type: 'json' }
import { postLead } from '#testing/app.ts'
import { visitor } from './form.ts'
import { test } from './own-site.ts'
import { expect, expectAccessible, formatRgb, phone } from './test.ts'

// The link's random token may happen to contain a name.
const expectedErrors = /404 \(Not Found\)|personal data in a URL: \S+\/answer\/[\w-]{48}$/
test.use({ viewport: phone, expectedErrors })

test('shows the lead behind the link in the email and records the call', async ({
  page,
  startSite,
  airtable,
  endings,
}) => {
  const mail = await startFakeMail()
  endings.push(mail.close)
  const url = await startSite({
    ...airtable.env,
    PUBLIC_URL: 'https://roofing.example',
    ...mail.env,
  })
  const lead = { ...visitor, name: 'Jane <b>Doe</b>', serviceType: 'emergency' }
  expect((await postLead(url, lead)).status).toBe(200)
  await expect.poll(() => mail.mails.length).toBe(1)
  const link = url + mail.mails[0]?.text.match(/roofing\.example(\/answer\/\S+)/)?.[1]
  const readStatus = () => airtable.records[0]?.fields.Status
  const checkPage = async () => {
    await expect(page.locator('script')).toHaveCount(0)
    await expectAccessible(page)
  }

  await page.goto(link)
  await expect(page.getByText('Jane <b>Doe</b>')).toBeVisible()
  await expect(page.getByText('EMERGENCY', { exact: true })).toBeVisible()
  const button = page.getByRole('button', { name: 'I’m calling now' })
  await expect(button).toBeInViewport()
  // If the style applies, the Content-Security-Policy has the right hash for it.
  await expect(button).toHaveCSS('background-color', formatRgb(brand.palette.accent))
  await expect.poll(readStatus).toBe('New')
  await checkPage()

  await button.click()
  await expect(page.getByRole('heading', { name: 'You’re calling' })).toBeVisible()
  const call = page.getByRole('link', { name: 'Call (555) 123-4567' })
  await expect(call).toHaveAttribute('href', 'tel:5551234567')
  await expect.poll(readStatus).toBe('Called')
  await checkPage()

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Already called' })).toBeVisible()
  await expect(page.getByRole('button')).toHaveCount(0)

  await page.goto(`${link.slice(0, -3)}abc`)
  await checkPage()
})
