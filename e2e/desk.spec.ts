import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { formatDay } from '#leads/clock.ts'
import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { desktop, expect, phone } from './test.ts'

const calling = { name: 'I’m calling' }

test('a phone that wakes shows leads that arrived while it slept', async ({ sendLead, signIn }) => {
  const page = await signIn('Sam')
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

test.describe('on a phone far from the company', () => {
  const TIME_ZONE = 'Pacific/Kiritimati'
  test.use({ settings: { TIME_ZONE } })

  test('search and filters find leads by the company’s days, and Back returns to the list', async ({
    site,
    sendLead,
    signIn,
  }) => {
    await sendLead()
    // In Pago Pago, it is still January 4.
    const receivedAt = Date.parse('2026-01-05T23:59:00+14:00')
    site.runSql(`update leads set received_at = ${receivedAt}`)
    await sendLead({ name: 'John Doe', serviceType: 'emergency' })
    await sendLead({ name: 'Ann Newest' })
    const page = await signIn('Sam', { timezoneId: 'Pacific/Pago_Pago' })
    await page.getByRole('link', { name: 'All leads' }).click()
    await expect(page.getByText('3 found, newest first')).toBeVisible()
    await page.getByText('Filters').click()
    await page.getByLabel('Day').fill('2026-01-05')
    await expect(page.locator('.lead-name')).toHaveText([visitor.name])
    await page.getByRole('link', { name: visitor.name }).click()
    await expect(page.locator('.lead-head')).toContainText(/Jan 5, 11:59\sPM/)
    await page.goBack()
    await page.getByLabel('Service').selectOption('emergency')
    await page.getByLabel('Day').fill('')
    await expect(page.locator('.lead-name')).toHaveText(['John Doe'])
    await page.getByLabel('Search').fill('nobody')
    await expect(page.getByText('No matching leads.')).toBeVisible()
    await page.getByLabel('Search').fill('john')
    // Names of homeowners stay out of the browser's history.
    expect(page.url()).not.toContain('john')
    const found = page.getByRole('link', { name: 'John Doe' })
    const nameFile = () => `leads-${formatDay(Date.now(), TIME_ZONE)}.csv`
    const nameBefore = nameFile()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as a spreadsheet' }).click()
    const download = await downloading
    expect([nameBefore, nameFile()]).toContain(download.suggestedFilename())
    const file = await download.path()
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
})

test('axe finds no violations on a phone at night and a desktop by day', async ({
  sendLead,
  site,
  signIn,
}) => {
  const check = async (page: Page, screen: string) => {
    for (const [viewport, colorScheme] of [
      [phone, 'dark'],
      [desktop, 'light'],
    ] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await checkAxe(page, `${screen}, ${colorScheme}`)
    }
  }
  await sendLead()
  await sendLead({ name: 'John Doe', serviceType: 'emergency' })
  const page = await signIn('Sam')
  await expect(row(page, visitor.name)).toBeVisible()
  await check(page, 'today')
  await row(page, visitor.name).getByRole('button', calling).click()
  await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
  await page.getByRole('link', { name: visitor.name }).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await check(page, 'lead')
  await page.getByRole('button', { name: 'Erase this lead…' }).click()
  await check(page, 'erase')
  await page.keyboard.press('Escape')
  for (const screen of ['All leads', 'Report', 'People']) {
    await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: screen }).click()
    await expect(page.getByText(/found, newest first|By source|, this device$/)).toBeVisible()
    await check(page, screen)
  }
  await page.context().setOffline(true)
  await expect(page.getByText('No connection.').first()).toBeVisible()
  await check(page, 'offline')

  await page.context().setOffline(false)
  await page.context().clearCookies()
  await page.goto(site.deskUrl)
  await page.getByLabel('Your email address').waitFor()
  await check(page, 'signed out')
  await page.goto(`${site.deskUrl}/#enter=forged`)
  await expect(page.getByText('was already used or is older')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open the desk' })).toHaveCount(0)
  await check(page, 'a bad link')
  await page.goto(await site.makeLink())
  await expect(
    page.getByText('Someone with access to the server requested this link'),
  ).toBeVisible()
  await check(page, 'a link')
})

test('the desk’s script has at most 100 kB', () => {
  const assets = join(import.meta.dirname, '../dist-desk/assets')
  const scripts = readdirSync(assets).filter((file) => file.endsWith('.js.gz'))
  const bytes = scripts.map((file) => statSync(join(assets, file)).size)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000)
})
