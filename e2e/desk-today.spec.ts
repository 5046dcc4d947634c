import { pushHost, startFakePush } from '#fakes/push.ts'
import { formatDay } from '#leads/clock.ts'
import { dayMs, hourMs, minuteMs } from '#leads/time-units.ts'
import { dayHours } from '#testing/saved-leads.ts'
import { hours } from './content.ts'
import { row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

const calling = { name: 'I’m calling' }

test('Today is shown before the script loads, and React hydrates it; other screens show nothing yet', async ({
  sendLead,
  signIn,
  site,
}) => {
  await sendLead()
  for (let count = 0; count < 51; count++) await sendLead({ name: `Person ${count}` })
  // Block the service worker, because it would respond with the cached script.
  const page = await signIn('Sam', { serviceWorkers: 'block' })
  const gate = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.goto('about:blank')
  await page.goto(`${site.deskUrl}/#/people`, { waitUntil: 'commit' })
  await expect(page.locator('#desk')).toBeEmpty()
  await page.goto('about:blank')
  await page.goto(`${site.deskUrl}/`, { waitUntil: 'commit' })
  await expect(row(page, visitor.name)).toContainText('min left')
  const button = row(page, visitor.name).getByRole('button', calling)
  await expect(button).toBeDisabled()
  const fromServer = await row(page, visitor.name).elementHandle()
  gate.resolve()
  await expect(page).toHaveTitle(/^52 to call/)
  await expect(button).toBeEnabled()
  expect(await fromServer?.evaluate((item) => item.isConnected)).toBe(true)
  // The script has removed the server's data from the page, because the data must not outlive the session.
  await expect(page.locator('#start')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: '52 to call' })).toBeVisible()
  await expect(page.locator('.lead-name')).toHaveCount(50)

  // The lead stays in view when it moves to a different group.
  const called = row(page, 'Person 40')
  await called.getByRole('button', calling).click()
  await expect(called.getByRole('button', { name: 'No answer' })).toBeInViewport()
  await called.getByRole('button', { name: 'No answer' }).click()
  await expect(called.getByRole('link', { name: /^Text/ })).toBeInViewport()

  await page.getByRole('link', { name: 'and 1 more' }).click()
  await expect(page.getByRole('link', { name: 'Person 50' })).toBeVisible()
  await page.getByRole('link', { name: 'Today' }).click()

  // The page does not scroll to a closed lead, because the next lead to call is more important.
  const closed = row(page, 'Person 41')
  await closed.getByRole('button', calling).click()
  await closed.getByRole('button', { name: 'Done' }).click()
  await expect(closed).toBeFocused()
  await expect(page.getByRole('heading', { name: '50 to call' })).toBeInViewport()
})

test('keeps the leads that are shown if “Show more” fails', async ({ site, sendLead, signIn }) => {
  await sendLead()
  for (let doubled = 1; doubled <= 7; doubled++)
    site.runSql(
      `create temp table copies as select * from leads;
      update copies set id = id || ${doubled}, idempotency_key = null;
      insert into leads select * from copies`,
    )
  const page = await signIn('Sam')
  await page.getByRole('link', { name: 'All leads' }).click()
  const names = page.locator('.lead-name')
  const more = page.getByRole('button', { name: 'Show more' })
  await more.click()
  await expect(names).toHaveCount(100)
  await page.route('**/api/search', (route) => route.abort())
  await more.click()
  await expect(page.locator('.problem')).toBeVisible()
  await page.unroute('**/api/search')
  await more.click()
  await expect(page.locator('.problem')).toHaveCount(0)
  await expect(names).toHaveCount(128)
})

test('shows the full minutes since the request of a homeowner whom someone else is calling', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  const dana = await signIn('Dana')
  const danasRow = row(dana, visitor.name)
  await danasRow.getByRole('button', calling).click()
  await expect(danasRow).toContainText('You’re calling')
  const at = Math.ceil(Date.now() / minuteMs) * minuteMs + 70_000
  site.runSql(`update leads set received_at = ${at - (10 * 60 + 50) * 1_000}`)
  const page = await signIn('Sam')
  const samsRow = row(page, visitor.name)
  await expect(samsRow).toContainText('Dana is calling')
  // Block requests, because a response would set the clock back.
  await page.route('**/api/**', (route) => route.abort())
  await page.clock.install()
  await page.clock.pauseAt(at)
  await page.clock.runFor(1_000)
  await expect(samsRow).toContainText('10 min ago')
})

test('on a wide screen, the first lead is open, and another one never replaces it while somebody writes', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  const page = await signIn('Sam', { viewport: { width: 1024, height: 800 } })
  const open = page.locator('.lead-pane')
  await expect(open.getByRole('heading', { level: 1 })).toHaveText(visitor.name)
  await expect(page.locator('h1').first()).not.toBeFocused()
  const note = open.getByLabel('Note')
  await note.fill('Two stories.')
  await note.blur()
  await sendLead({ name: 'John Doe', serviceType: 'emergency' })
  await expect(page.getByRole('listitem').first()).toContainText('John Doe')
  await expect(note).toHaveValue('Two stories.')
  await open.getByRole('button', { name: 'Add note' }).click()
  await expect(open.locator('.events')).toContainText('Two stories.')
  // The next lead must not open, because the focus is still in the pane.
  await sendLead({ name: 'Ann Third' })
  await expect(row(page, 'Ann Third')).toBeVisible()
  await expect(open.getByRole('heading', { level: 1 })).toHaveText(visitor.name)

  await page.getByRole('link', { name: 'All leads' }).focus()
  await expect(open.getByRole('heading', { level: 1 })).toHaveText('John Doe')
  // The focus stays on the link, because only a person's own navigation moves it.
  await expect(page.getByRole('link', { name: 'All leads' })).toBeFocused()
})

test.describe('on a holiday', () => {
  test.use({ settings: { PUSH_SERVICES: pushHost } })

  test('a lead is due after we open, and a phone can be set to business hours', async ({
    site,
    sendLead,
    signIn,
    endings,
  }) => {
    const usual = { ...hours }
    endings.push(() => Object.assign(hours, usual))
    const { timeZone } = hours
    // Include the date in 12 hours, because the day may end during the test.
    const closedDates = [0, 12].map((later) => formatDay(Date.now() + later * hourMs, timeZone))
    Object.assign(hours, { ...dayHours, timeZone, closedDates })
    await sendLead()
    const page = await signIn('Sam')
    await expect(page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
    await expect(
      page.getByRole('heading', { name: /^Call when we open (tomorrow|on \w+) \(1\)$/ }),
    ).toBeVisible()
    await expect(row(page, visitor.name)).toContainText(/Call by .* 7:10.AM/)

    const push = await startFakePush()
    endings.push(push.close)
    const registered = await page.request.post(`${site.deskUrl}/api/devices`, {
      headers: { origin: site.deskUrl },
      data: { name: 'Truck', subscription: push.addPhone('truck') },
    })
    expect(registered.status()).toBe(200)
    await page.getByRole('link', { name: 'People' }).click()
    const schedule = page.getByLabel('Notifications')
    await schedule.selectOption('Business hours')
    await expect(page.getByText('Saved.')).toBeVisible()
    await page.reload()
    await expect(schedule).toHaveValue('business-hours')
  })
})

test('warnings take one line on a phone until they are opened, and lead to “Turn on notifications”', async ({
  signIn,
}) => {
  const page = await signIn('Sam', { permissions: ['notifications'] })
  const banner = page.getByRole('complementary', { name: 'Warnings' })
  const link = banner.getByRole('link', { name: 'Turn on notifications for this device' })
  await expect(link).toBeHidden()
  expect((await banner.boundingBox())?.height).toBeLessThanOrEqual(48)
  await banner.locator('summary').click()
  await expect(banner).not.toContainText(/[A-Z]{2,}_[A-Z]/)
  await link.click()

  // In a browser without a push service, subscribing never finishes.
  await page.evaluate(() => {
    PushManager.prototype.subscribe = () => new Promise(() => {})
  })
  await page.clock.install()
  const turnOn = page.getByRole('button', { name: 'Turn on notifications' })
  await turnOn.click()
  await expect(page.getByRole('button', { name: 'Turning on…' })).toBeDisabled()
  await page.clock.fastForward(20_000)
  await expect(page.getByText('couldn’t turn on notifications')).toBeVisible()
  await expect(turnOn).toBeEnabled()
})

test('an iPhone is asked to add the desk to its home screen', async ({ signIn }) => {
  const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile Safari/604.1'
  const page = await signIn('Sam', { userAgent })
  // On an iPhone, Safari supports notifications only for pages on the home screen.
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'))
  await page.reload()
  const question = page.getByRole('complementary', { name: 'Notifications' })
  await expect(question).toContainText('add the desk to its home screen')
  await expect(question.getByRole('button', { name: 'Turn on' })).toHaveCount(0)
  await question.getByRole('link', { name: 'Show me how' }).click()
  await expect(page.getByText('In Safari, tap Share.')).toBeVisible()
  await page.getByRole('link', { name: /^Today/ }).click()
  await expect(page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  await expect(question).toHaveCount(0)
})

test('leads that nobody closed for a week fold, and the badge counts homeowners', async ({
  site,
  sendLead,
  signIn,
}) => {
  for (let at = 1; at <= 4; at++) await sendLead({ name: `Old Lead ${at}` })
  site.runSql(`update leads set deadline_at = deadline_at - ${8 * dayMs}`)
  await sendLead()
  await sendLead()
  const page = await signIn('Sam')
  await page.addInitScript(() => {
    Object.assign(navigator, {
      setAppBadge: async (count: number) => Object.assign(window, { badge: count }),
    })
  })
  await page.reload()
  await expect(page.getByRole('heading', { name: '5 to call' })).toBeVisible()
  await expect.poll(() => page.evaluate('window.badge')).toBe(5)
  const old = page.getByRole('link', { name: 'Old Lead 4' })
  await expect(old).toBeHidden()
  await page.getByText('4 older leads').click()
  await expect(old).toBeVisible()
})

for (const width of [390, 1280])
  test(`without leads, Today shows the logo and links to All leads, at ${width} px`, async ({
    signIn,
  }) => {
    const page = await signIn('Sam', { viewport: { width, height: 800 } })
    await expect(page.getByText('New requests appear here automatically.')).toBeVisible()
    await expect(page.locator('.empty .mark')).toBeVisible()
    await page.getByRole('link', { name: 'See all leads' }).click()
    await expect(page.getByText('No leads yet.')).toBeVisible()
  })
