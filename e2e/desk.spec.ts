import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatDay, parseLocalTime } from '#leads/clock.ts'
import { hours } from './content.ts'
import { row, test } from './desk.ts'
import { checkScreens } from './desk-screens.ts'
import { visitor } from './form.ts'
import { expect, phone } from './test.ts'

test('a phone that wakes shows leads that arrived while it slept', async ({ sendLead, signIn }) => {
  const page = await signIn('Sam')
  await expect(page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  // Headless Chromium cannot hide or freeze a tab, so simulate it.
  const setHidden = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  // The phone goes to sleep during a poll that gets no response, and its timers stop.
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

test('search and filters find leads by the company’s days, and Back returns to the list', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  // At this time, it is already January 6 in Kiritimati.
  const receivedAt = parseLocalTime('2026-01-05T23:59', hours.timeZone)
  site.runSql(`update leads set received_at = ${receivedAt}`)
  await sendLead({ name: 'John Doe', serviceType: 'emergency' })
  await sendLead({ name: 'Ann Newest' })
  const page = await signIn('Sam', { timezoneId: 'Pacific/Kiritimati' })
  await page.getByRole('link', { name: 'All leads' }).click()
  await expect(page.getByText('3 found, newest first')).toBeVisible()
  // Without a sale, the column of results has no width, so its name must not wrap.
  await page.setViewportSize({ width: 1280, height: 800 })
  expect((await page.locator('.line-head').boundingBox())?.height).toBeLessThan(40)
  await page.setViewportSize(phone)
  await page.getByText('Filters').click()
  await page.getByLabel('Received').selectOption('One day…')
  await page.getByLabel('Day', { exact: true }).fill('2026-01-05')
  await expect(page.locator('.lead-name')).toHaveText([visitor.name])
  await page.getByRole('link', { name: visitor.name }).click()
  await expect(page.locator('.lead-head')).toContainText(/Jan 5, 11:59\sPM/)
  await page.goBack()
  await page.getByLabel('Received').selectOption('Any time')
  await expect(page.getByText('3 found, newest first')).toBeVisible()
  // The filter panel stays open when the last filter is removed.
  await page.getByLabel('Service').selectOption('emergency')
  await expect(page.locator('.lead-name')).toHaveText(['John Doe'])
  await page.getByLabel('Search').fill('nobody')
  await expect(page.getByText('No matching leads.')).toBeVisible()
  await expect(page.locator('search summary')).toHaveText('Emergency Service')
  await page.getByRole('link', { name: 'Clear search and filters' }).click()
  await expect(page.getByText('3 found, newest first')).toBeVisible()
  await page.getByLabel('Search').fill('john')
  await expect(page.locator('.lead-name')).toHaveText(['John Doe'])
  // Homeowners' names stay out of the browser's history.
  expect(page.url()).not.toContain('john')
  const found = page.getByRole('link', { name: 'John Doe' })
  const nameFile = () => `leads-${formatDay(Date.now(), hours.timeZone)}.csv`
  const nameBefore = nameFile()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as a spreadsheet' }).click()
  const download = await downloading
  expect([nameBefore, nameFile()]).toContain(download.suggestedFilename())
  const file = await download.path()
  expect(readFileSync(file, 'utf8').trim().split('\r\n')).toHaveLength(2)

  // The focus follows keyboard navigation.
  await found.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'John Doe' })).toBeFocused()
  await page.goBack()
  await expect(found).toBeFocused()
  await expect(page.getByLabel('Search')).toHaveValue('john')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Download/ })).toBeFocused()
  await page.getByRole('link', { name: /^Today/ }).click()
  await row(page, 'John Doe').getByRole('button', { name: 'I’m calling' }).focus()
  await page.keyboard.press('Enter')
  await expect(row(page, 'John Doe')).toContainText('You’re calling')
  // The pressed button is gone, so the focus has moved.
  await expect(row(page, 'John Doe')).toBeFocused()
})

test('axe finds no violations on a phone at night', async ({ sendLead, site, signIn }) => {
  await sendLead()
  await sendLead({ name: 'John Doe', serviceType: 'emergency' })
  await checkScreens(await signIn('Sam', { colorScheme: 'dark' }), site)
})

test('no screen scrolls sideways at 320 px, also at 200% text size', async ({
  sendLead,
  site,
  signIn,
}) => {
  await sendLead()
  await sendLead({ name: 'Bartholomew Featherstonehaugh-Wolfeschlegelstein' })
  await checkScreens(
    await signIn('Sam', { viewport: { width: 320, height: 800 } }),
    site,
    async (page, screen) => {
      for (const size of ['200%', '100%']) {
        const overflow = await page.evaluate((size) => {
          const { style } = document.documentElement
          style.fontSize = size
          return document.documentElement.scrollWidth - innerWidth
        }, size)
        expect(overflow, `${screen} at ${size}`).toBe(0)
      }
    },
  )
})

test('the desk starts with at most 95 kB of script', () => {
  const assets = join(import.meta.dirname, '../dist-desk/assets')
  const files = readdirSync(assets).filter((file) => /^index-.*\.js\.gz$/.test(file))
  expect(files).toHaveLength(1)
  expect(statSync(join(assets, files[0] ?? '')).size).toBeLessThanOrEqual(95_000)
})
