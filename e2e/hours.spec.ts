import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { publishDraft, saveDraft } from '#leads/store/page-versions.ts'
import { openDatabase } from '#server/database.ts'
import { fill } from '#site/schema/placeholders.ts'
import { company, form as words } from './content.ts'
import { computeCallTime, visitor } from './form.ts'
import { serveSite } from './site.ts'
import { desktop, expect, expectNoShift, phone, test, watchShifts } from './test.ts'

// The page of a company that is closed at night, on Sundays, and on Christmas Day.

const workdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const hours = {
  open: Object.fromEntries(workdays.map((day) => [day, ['7:00-18:00']])),
  closedDates: ['2026-12-25'],
}
const at = (text: string) => new Date(`${text}-06:00`)
const openHeading = words.heading
const callTime = computeCallTime('07:00')
const callText = `${words.notes.questions} ${company.phone}`

test.use({ timezoneId: 'America/Chicago' })

const dataDir = mkdtempSync(join(tmpdir(), 'hours-'))
let url: string
let stop: () => Promise<void>

test.beforeAll(async () => {
  const db = await openDatabase({ dataDir })
  const draft = { person: 'Sam', email: 'sam@example.com', now: Date.now(), content: { hours } }
  await saveDraft(db, { ...draft, base: 0 })
  await publishDraft(db, { ...draft, base: 1 })
  await db.close()
  const site = await serveSite({ HOST: '127.0.0.1', DATA_DIR: dataDir })
  url = `http://127.0.0.1:${site.port}`
  stop = site.stop
})

test.afterAll(async () => {
  await stop()
  rmSync(dataDir, { recursive: true })
})

test('shows the right heading at any time, before and after hydration', async ({ page, form }) => {
  await page.clock.install()
  for (const [time, heading] of [
    ['2026-11-17T12:00', openHeading],
    ['2026-11-17T18:00', fill(words.closed.heading, { time: `${callTime} tomorrow` })],
    ['2026-11-17T02:00', fill(words.closed.heading, { time: callTime })],
    ['2026-11-21T20:00', fill(words.closed.heading, { time: `${callTime} on Monday` })],
    // A holiday.
    ['2026-12-25T09:00', fill(words.closed.heading, { time: `${callTime} tomorrow` })],
  ] as const) {
    await page.clock.setSystemTime(at(time))
    await page.goto(url)
    const shown = page.getByRole('heading', { name: heading, exact: true })
    await expect(shown).toBeVisible()
    await form.name.focus()
    await form.expectHydrated()
    await expect(shown).toBeVisible()
  }
})

test('shows the hours at the phone number and in the footer, and no 24/7', async ({ page }) => {
  await page.clock.install({ time: at('2026-11-17T17:59:30') })
  await page.goto(url)
  const call = page.locator('header').getByRole('link', { name: company.phone })
  await expect(call).toContainText('Open until 6 PM')
  await page.clock.runFor('00:30')
  await expect(call).toContainText('Emergency? Call now')
  await expect(page.locator('footer')).toContainText('Mon–Sat 7 AM–6 PM')
  await expect(page.locator('header, footer').filter({ hasText: '24/7' })).toHaveCount(0)
})

test('says “midnight” if the company closes then', async ({ page }) => {
  await page.clock.install({ time: at('2026-11-17T17:59:30') })
  await page.route(`${url}/`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll('7:00-18:00', '7:00-24:00')
    await route.fulfill({ response, body })
  })
  await page.goto(url)
  await expect(page.locator('header')).toContainText('Open until midnight')
})

test('the heading switches at closing and opening time', async ({ page }) => {
  await page.clock.install({ time: at('2026-11-17T17:59:30') })
  await page.goto(`${url}/#estimate-received-closed`)
  const heading = page.locator('#estimate-heading')
  await expect(heading).toHaveText(openHeading)
  await page.clock.runFor('00:30')
  const time = `${callTime} tomorrow`
  await expect(heading).toHaveText(fill(words.closed.heading, { time }))
  // The message after a native post also changes, and keeps its phone link.
  await expect(page.locator('#estimate-received-closed')).toHaveText(
    `${fill(words.closed.note, { time })} ${callText}`,
  )
  await page.clock.runFor('13:00:00')
  await expect(heading).toHaveText(openHeading)
})

test('at night, promises to call about emergencies now and about other requests after we open', async ({
  page,
  form,
}) => {
  await page.clock.install({ time: at('2026-11-17T20:00') })
  await form.answerWith({ status: 200 })
  await page.goto(url)
  const emergencyNote = form.root.getByText(words.closed.emergency)
  await expect(emergencyNote).toHaveText(`${words.closed.emergency} ${company.phone}`)
  await expect(emergencyNote.getByRole('link', { name: company.phone })).toBeInViewport()
  await form.fillIn({ ...visitor, serviceType: 'emergency' })
  await expect(form.root.getByRole('heading', { name: openHeading })).toBeVisible()
  await form.press()
  await expect(form.note('received')).toContainText(
    fill(words.notes.callBy, { time: computeCallTime('20:00') }),
  )

  await form.fillIn()
  await form.button.click()
  const time = `${callTime} tomorrow`
  // The time is shown once.
  await expect(form.root.getByText(fill(words.closed.note, { time }))).toHaveText(
    `${fill(words.closed.note, { time })} ${callText}`,
  )
  await expect(page.getByText(fill(words.closed.toast, { time }))).toBeVisible()

  // After midnight, the promised time is today.
  await page.clock.setSystemTime(at('2026-11-18T06:00'))
  await page.reload()
  await expect(page.locator('#estimate-received')).toHaveText(
    `${fill(words.closed.note, { time: callTime })} ${callText}`,
    { useInnerText: true },
  )
})

test.describe('a visitor in another time zone', () => {
  test.use({ timezoneId: 'America/New_York' })
  test('sees the company’s time with its time zone', async ({ page }) => {
    await page.clock.install({ time: at('2026-11-17T20:00') })
    await page.goto(url)
    const heading = fill(words.closed.heading, { time: `${callTime} CST tomorrow` })
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  })
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  test('shows text that is true at any hour', async ({ page }) => {
    await page.goto(url)
    await expect(page.getByRole('heading', { name: words.closed.headingAnytime })).toBeVisible()
    await expect(page.getByText(words.closed.emergency)).toBeVisible()
    await page.goto(`${url}/#estimate-received-closed`)
    const outcome = page.locator('#estimate-received-closed')
    await expect(outcome).toHaveText(`${words.closed.noteAnytime} ${callText}`)
    await expect(outcome.getByRole('link', { name: company.phone })).toBeInViewport()
  })
})

test('the layout does not shift when the heading changes', async ({ page }) => {
  await page.clock.install()
  const heading = page.locator('#estimate-heading')
  for (const viewport of [phone, { width: 768, height: 1024 }, desktop]) {
    await page.setViewportSize(viewport)
    await page.clock.setSystemTime(at('2026-11-21T17:59:30'))
    await page.goto(url)
    await expect(heading).toHaveText(openHeading)
    // The screenshot waits for the font. weight.spec.ts measures shifts from a late font.
    await page.screenshot()
    await page.evaluate(watchShifts, false)
    // The text of the page before its script runs.
    await heading.evaluate((element, text) => {
      element.textContent = text
    }, words.closed.headingAnytime)
    await expectNoShift(page)
    await page.clock.runFor('00:30')
    await expect(heading).toHaveText(/on Monday/)
    await expectNoShift(page)
  }
})

test('the inline script has 3 kB at most, and search engines get the hours', async ({
  request,
}) => {
  const html = await (await request.get(url)).text()
  const [, script = ''] = html.match(/<script type="module" async>(.*?)<\/script>/s) ?? []
  expect(script).not.toBe('')
  expect(brotliCompressSync(script).length).toBeLessThanOrEqual(3_000)
  expect(html).toContain('"dayOfWeek":"Saturday","opens":"07:00","closes":"18:00"')
  expect(html).toContain('"validFrom":"2026-12-25"')
})
