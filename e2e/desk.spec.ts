import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions } from '@playwright/test'
import { hours } from './content.ts'
import { checkAxe, row, test } from './desk.ts'
import { findForm, visitor } from './form.ts'
import { desktop, expect, phone } from './test.ts'

const calling = { name: 'I’m calling' }

test('a new lead and its caller appear on every phone', async ({ page, site, signIn }) => {
  const sam = await signIn('Sam')
  const { page: dana } = await signIn('Dana', { viewport: desktop })
  await expect(sam.page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  await page.goto(site.url)
  const form = findForm(page)
  await form.fillIn()
  // A lead sent within a second counts as possible spam, without a deadline.
  await page.waitForFunction(() => performance.now() > 1_500)
  await form.press()
  const before = sam.countPolls()
  await row(sam.page, visitor.name).filter({ hasText: 'min left' }).waitFor()
  // The desk polls every 2 s. One poll may already be in flight.
  expect(sam.countPolls() - before).toBeLessThanOrEqual(2)
  await expect(sam.page).toHaveTitle(/^1 to call/)

  const samsRow = row(sam.page, visitor.name)
  const call = samsRow.getByRole('link', { name: `Call ${visitor.phone}` })
  await expect(call).toHaveAttribute('href', 'tel:5551234567')
  // Chromium cannot dial.
  await call.evaluate((link) => link.addEventListener('click', (event) => event.preventDefault()))
  await call.click()
  await expect(samsRow).toContainText('Are you calling?')
  await samsRow.getByRole('button', calling).click()
  await expect(sam.page.getByText('you’re calling.')).toBeVisible()
  for (const desk of [sam.page, dana]) {
    const who = desk === dana ? 'Sam is calling' : 'You’re calling'
    await expect(row(desk, visitor.name)).toContainText(who)
    await expect(desk.getByRole('heading', { name: 'All caught up' })).toBeVisible()
    await expect(desk.getByRole('button', calling)).toHaveCount(0)
  }
  await dana.getByRole('link', { name: 'Report' }).click()
  await expect(
    dana.getByText(`1 of 1 request got a call within ${hours.promiseMinutes} minutes.`),
  ).toBeVisible()
})

test.describe('in the company’s time zone', () => {
  test.use({ settings: { TIME_ZONE: 'Pacific/Kiritimati' } })
  test('a phone in another time zone shows times, filters days, and names files', async ({
    sendLead,
    signIn,
  }) => {
    await sendLead()
    const { page } = await signIn('Sam', { timezoneId: 'Pacific/Pago_Pago' })
    const timeZone = 'Pacific/Kiritimati'
    const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone })
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format()
    await page.getByRole('link', { name: visitor.name }).click()
    // The lead may have arrived in the previous minute.
    const times = [Date.now(), Date.now() - 60_000].map((at) => clock.format(at)).join('|')
    await expect(page.locator('.lead-head')).toContainText(new RegExp(times))
    await page.getByRole('link', { name: 'All leads' }).click()
    await page.getByText('Filters').click()
    await page.getByLabel('Day').fill(day)
    await expect(page.getByText('1 found, newest first')).toBeVisible()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe(`leads-${day}.csv`)
  })
})

test('a lead erased on one phone disappears from the other', async ({ sendLead, signIn }) => {
  await sendLead()
  const { page: sam } = await signIn('Sam')
  const { page: dana } = await signIn('Dana')
  for (const desk of [sam, dana]) {
    await desk.getByRole('link', { name: visitor.name }).click()
    await expect(desk.getByRole('heading', { name: visitor.name })).toBeVisible()
  }
  await sam.getByRole('button', { name: 'Erase this lead…' }).click()
  await sam.getByLabel('To confirm, type the name').fill('Jane')
  await sam.getByRole('button', { name: 'Erase', exact: true }).click()
  await expect(sam.getByRole('alert')).toHaveText(
    'The name doesn’t match. Type it exactly as shown.',
  )
  await sam.getByLabel('To confirm, type the name').fill(visitor.name)
  await sam.getByRole('button', { name: 'Erase', exact: true }).click()
  await expect(sam.getByText('Erased.')).toBeVisible()
  await expect(dana.getByRole('heading', { name: 'This lead was erased' })).toBeVisible()
  await expect(dana.getByText('Someone erased it')).toBeVisible()
  await dana.getByRole('link', { name: 'Today' }).first().click()
  await expect(dana.getByRole('heading', { name: 'All caught up' })).toBeVisible()
})

test('a lost connection is reported with the age of the data', async ({ sendLead, signIn }) => {
  await sendLead()
  const { page } = await signIn('Sam')
  await expect(row(page, visitor.name)).toBeVisible()
  await page.context().setOffline(true)
  const lost = page.getByText(/No connection\. Last updated \d+\ssec ago\./)
  await expect(lost).toBeVisible()
  await expect(row(page, visitor.name)).toBeVisible()
  await sendLead({ name: 'John Doe' })
  await page.context().setOffline(false)
  await expect(row(page, 'John Doe')).toBeVisible()
  await expect(lost).toBeHidden()
})

test('a phone that wakes shows leads that arrived while it slept', async ({ sendLead, signIn }) => {
  const { page } = await signIn('Sam')
  await expect(page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  // Headless Chromium cannot hide or freeze a tab, so simulate it.
  const setHidden = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  // The phone falls asleep during an unanswered poll, and its timers stop.
  await new Promise<void>((asked) => {
    void page.route('**/api/today', () => asked(), { times: 1 })
  })
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await setHidden(true)
  await sendLead()
  await setHidden(false)
  await expect(row(page, visitor.name)).toContainText('min left')
})

test('search and filters find leads, and Back returns to the list', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  await sendLead({ name: 'John Doe', serviceType: 'emergency' })
  const { page } = await signIn('Sam')
  // The emergency comes first, then the lead with the least time left.
  await sendLead({ name: 'Ann Newest' })
  await expect(page.locator('.lead-name')).toHaveText(['John Doe', visitor.name, 'Ann Newest'])
  await page.getByRole('link', { name: 'All leads' }).click()
  await expect(page.getByText('3 found, newest first')).toBeVisible()
  await page.getByText('Filters').click()
  await page.getByLabel('Service').selectOption('emergency')
  await expect(page.locator('.lead-name')).toHaveText(['John Doe'])
  await page.getByLabel('Search').fill('nobody')
  await expect(page.getByText('No matching leads.')).toBeVisible()
  await page.getByLabel('Search').fill('john')
  // Names of homeowners stay out of the browser's history.
  expect(page.url()).not.toContain('john')
  const found = page.getByRole('link', { name: 'John Doe' })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as a spreadsheet' }).click()
  const file = await (await download).path()
  expect(readFileSync(file, 'utf8').trim().split('\r\n')).toHaveLength(2)

  // With the keyboard, the focus follows the navigation.
  await found.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'John Doe' })).toBeFocused()
  await page.goBack()
  await expect(found).toBeFocused()
  await expect(page.getByLabel('Search')).toHaveValue('john')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: /^Call/ })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(row(page, 'John Doe')).toContainText('You’re calling')
  await expect(found).toBeFocused()
})

for (const [name, options] of Object.entries({
  'a phone at night': { viewport: phone, colorScheme: 'dark' },
  'a desktop by day': { viewport: desktop, colorScheme: 'light' },
} satisfies Record<string, BrowserContextOptions>))
  test(`axe finds no violations on ${name}`, async ({
    sendLead,
    site,
    signIn,
    browser,
    endings,
  }) => {
    await sendLead()
    await sendLead({ name: 'John Doe', serviceType: 'emergency' })
    const stranger = await (await browser.newContext(options)).newPage()
    endings.push(() => stranger.context().close())
    await stranger.goto(site.deskUrl)
    await stranger.getByLabel('Your email address').waitFor()
    await checkAxe(stranger, 'signed out')
    await stranger.goto(`${site.deskUrl}/#enter=forged`)
    await expect(stranger.getByText('was already used or is older')).toBeVisible()
    await expect(stranger.getByRole('button', { name: 'Open the desk' })).toHaveCount(0)
    await checkAxe(stranger, 'a bad link')
    await stranger.goto(await site.makeLink())
    await expect(
      stranger.getByText('Someone with access to the server requested this link'),
    ).toBeVisible()
    await checkAxe(stranger, 'a link')

    const { page } = await signIn('Sam', options)
    await expect(row(page, visitor.name)).toBeVisible()
    await checkAxe(page, 'today')
    await row(page, visitor.name).getByRole('button', calling).click()
    await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
    await page.getByRole('link', { name: visitor.name }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await checkAxe(page, 'lead')
    await page.getByRole('button', { name: 'Erase this lead…' }).click()
    await checkAxe(page, 'erase')
    await page.keyboard.press('Escape')
    for (const screen of ['All leads', 'Report', 'People']) {
      await page
        .getByRole('navigation', { name: 'Desk' })
        .getByRole('link', { name: screen })
        .click()
      await expect(page.getByText(/found, newest first|By source|, this device$/)).toBeVisible()
      await checkAxe(page, screen)
    }
    await page.context().setOffline(true)
    await expect(page.getByText('No connection.').first()).toBeVisible()
    await checkAxe(page, 'offline')
  })

test('the desk’s script has at most 100 kB', () => {
  const assets = join(import.meta.dirname, '../dist-desk/assets')
  const scripts = readdirSync(assets).filter((file) => file.endsWith('.js.gz'))
  const bytes = scripts.map((file) => statSync(join(assets, file)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000)
})
