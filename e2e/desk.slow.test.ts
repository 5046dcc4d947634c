import { startFakeAirtable } from '#fakes/airtable.ts'
import { findFirefox } from '#scripts/tools.mjs'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { test as deskTest, enterDesk } from './desk.ts'
import { checkScreens } from './desk-screens.ts'
import { findForm, visitor } from './form.ts'
import { shows, startFirefox } from './other-browsers.ts'
import { test } from './own-site.ts'
import { desktop, expect, phone } from './test.ts'

/** Finds the link that the server prints at startup. */
const findLink = async (server: ReturnType<typeof startServer>) => {
  await expect.poll(() => server.output.stdout).toContain('#enter=')
  return server.output.stdout.match(/http:\S+#enter=[\w-]+/)?.[0] ?? ''
}

test('two processes on PostgreSQL show a lead and its answer on both desks, in Airtable, and in the report', async ({
  page,
  browser,
  endings,
}) => {
  test.skip(!findFirefox() && !process.env.CI, 'Firefox is not installed here')
  const { url: DATABASE_URL, remove } = await startPostgres()
  endings.push(remove)
  const airtable = await startFakeAirtable()
  endings.push(airtable.close)
  const start = () => {
    const server = startServer({ DATABASE_URL, ...airtable.env })
    endings.push(() => server.kill('SIGKILL'))
    return server
  }
  const first = start()
  const url = await first.findUrl()
  const second = start()

  const context = await browser.newContext({ viewport: phone })
  endings.push(() => context.close())
  const sam = await context.newPage()
  await enterDesk(sam, await findLink(first), 'Sam')
  const firefox = await startFirefox()
  endings.push(() => firefox.close())
  await firefox.open(await findLink(second))
  await expect.poll(() => shows(firefox, 'Open the desk')).toBe(true)
  await firefox.type('[name=person]', 'Dana')
  await firefox.press('button')
  await expect.poll(() => shows(firefox, 'All caught up')).toBe(true)

  await page.goto(url)
  const form = findForm(page)
  await form.fillIn()
  // Wait, because a lead that is sent within a second is marked as possible spam and has no deadline.
  await page.waitForFunction(() => performance.now() > 1_500)
  await form.press()
  await expect(sam.getByRole('listitem').filter({ hasText: visitor.name })).toContainText('left')
  await expect.poll(() => shows(firefox, visitor.name)).toBe(true)

  await sam.getByRole('button', { name: 'I’m calling' }).click()
  await expect.poll(() => shows(firefox, '1 call without a result')).toBe(true)
  expect(await shows(firefox, 'Sam')).toBe(true)
  await expect.poll(() => airtable.records[0]?.fields.Status).toBe('Called')
  await sam.getByRole('link', { name: 'Report' }).click()
  await expect(sam.getByText('1 of 1').first()).toBeVisible()
  expect(await firefox.read('window.seenErrors')).toEqual([])
})

deskTest('axe finds no violations on a desktop by day', async ({ sendLead, site, signIn }) => {
  await sendLead()
  await sendLead({ name: 'John Doe', serviceType: 'emergency' })
  await checkScreens(await signIn('Sam', { viewport: desktop, colorScheme: 'light' }), site)
})
