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
import { desktop, expect, expectNoShift, phone, test, waitForPaint, watchShifts } from './test.ts'

// The page of a company that is closed at night, on Sundays, and on Christmas Day, with one site for all tests.
test.describe.configure({ mode: 'default' })

const day = ['7:00-18:00']
const hours = {
  open: { Mon: day, Tue: day, Wed: ['7:00-24:00'], Thu: day, Fri: day, Sat: day },
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

test('the heading and the label of the phone number switch at closing and opening time', async ({
  page,
}) => {
  await page.clock.install({ time: at('2026-11-17T17:59:30') })
  await page.goto(`${url}/#estimate-received-closed`)
  const heading = page.locator('#estimate-heading')
  const call = page.locator('header').getByRole('link', { name: company.phone })
  await expect(heading).toHaveText(openHeading)
  await expect(call).toContainText('Open until 6 PM')
  await page.clock.runFor('00:30')
  const time = `${callTime} tomorrow`
  await expect(heading).toHaveText(fill(words.closed.heading, { time }))
  await expect(call).toContainText('Emergency? Call now')
  // The message after a native post also changes, and keeps its phone link.
  await expect(page.locator('#estimate-received-closed')).toHaveText(
    `${fill(words.closed.note, { time })} ${callText}`,
  )
  await page.clock.fastForward('13:00:00')
  await expect(heading).toHaveText(openHeading)
  await expect(call).toContainText('Open until midnight')
  await expect(page.locator('footer')).toContainText('Mon–Tue 7 AM–6 PM, Wed 7 AM–12 AM')
  await expect(page.locator('header, footer').filter({ hasText: '24/7' })).toHaveCount(0)
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
  test('sees the company’s time with its time zone, on a holiday', async ({ page, form }) => {
    await page.clock.install({ time: at('2026-12-25T09:00') })
    await page.goto(url)
    const heading = fill(words.closed.heading, { time: `${callTime} CST tomorrow` })
    const shown = page.getByRole('heading', { name: heading, exact: true })
    await expect(shown).toBeVisible()
    await form.name.focus()
    await form.expectHydrated()
    await expect(shown).toBeVisible()
  })
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  test('shows text that is true at any hour', async ({ page }) => {
    await page.goto(`${url}/#estimate-received-closed`)
    await expect(page.getByRole('heading', { name: words.closed.headingAnytime })).toBeVisible()
    await expect(page.getByText(words.closed.emergency)).toBeVisible()
    const outcome = page.locator('#estimate-received-closed')
    await expect(outcome).toHaveText(`${words.closed.noteAnytime} ${callText}`)
    await expect(outcome.getByRole('link', { name: company.phone })).toBeInViewport()
  })
})

test('the layout does not shift when the heading changes', async ({ page }) => {
  await page.clock.install()
  const heading = page.locator('#estimate-heading')
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport)
    await page.clock.setSystemTime(at('2026-11-21T17:59:30'))
    await page.goto(url)
    await expect(heading).toHaveText(openHeading)
    // Wait for the font. weight.spec.ts measures shifts from a late font.
    await page.evaluate(async () => void (await document.fonts.ready))
    await waitForPaint(page)
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

test('the inline script has 3 kB at most', async ({ request }) => {
  const html = await (await request.get(url)).text()
  const [, script = ''] = html.match(/<script type="module" async>(.*?)<\/script>/s) ?? []
  expect(script).not.toBe('')
  expect(brotliCompressSync(script).length).toBeLessThanOrEqual(3_000)
})
