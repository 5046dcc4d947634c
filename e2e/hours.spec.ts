import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fill } from '#leads/fill.ts'
import { publishDraft, savePageDraft } from '#leads/store/page-versions.ts'
import { openDatabase } from '#server/database.ts'
import { company, form as words } from './content.ts'
import { computeCallTime, formatReceived, visitor } from './form.ts'
import { serveSite } from './site.ts'
import {
  desktop,
  expect,
  expectAccessible,
  expectNoShift,
  phone,
  test,
  waitForPaint,
  watchShifts,
} from './test.ts'

// The tests share one site of a company that is closed at night, on Sundays, and on Christmas Day.
test.describe.configure({ mode: 'default' })

const day = ['7:00-18:00']
const hours = {
  open: { Mon: day, Tue: day, Wed: ['7:00-24:00'], Thu: day, Fri: day, Sat: day },
  closedDates: ['2026-12-25'],
}
const at = (text: string) => new Date(`${text}-06:00`)
const openHeading = words.heading
const callTime = computeCallTime('07:00')

test.use({ timezoneId: 'America/Chicago' })

const dataDir = mkdtempSync(join(tmpdir(), 'hours-'))
let url: string
let stop: () => Promise<void>

test.beforeAll(async () => {
  const db = await openDatabase({ dataDir })
  const draft = { person: 'Sam', email: 'sam@example.com', now: Date.now(), content: { hours } }
  await savePageDraft(db, { ...draft, base: 0 })
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
  await expect(page.locator('#estimate-received-closed')).toHaveText(formatReceived(time), {
    useInnerText: true,
  })
  await page.clock.fastForward('13:00:00')
  await expect(heading).toHaveText(openHeading)
  await expect(call).toContainText('Open until midnight')
  const ranges = page.locator('footer p', { hasText: /\s[AP]M/ })
  await expect(ranges).toHaveText(['Mon–Tue 7 AM–6 PM', 'Wed 7 AM–12 AM', 'Thu–Sat 7 AM–6 PM'])
  await expect(page.locator('header, footer').filter({ hasText: '24/7' })).toHaveCount(0)
})

test('at night, promises to call about emergencies now and about other requests after we open', async ({
  page,
  form,
}) => {
  const night = at('2026-11-17T20:00')
  await page.clock.install({ time: night })
  await form.answerWith({ status: 200, headers: { date: night.toUTCString() } })
  await page.goto(url)
  const emergencyNote = form.root.getByText(words.closed.emergency)
  await expect(emergencyNote).toHaveText(`${words.closed.emergency} ${company.phone}`)
  await expect(emergencyNote.getByRole('link', { name: company.phone })).toBeVisible()
  await page.clock.runFor(5_000)
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expectAccessible(page, 'html', 'closed')
  // The note is close to its field.
  const [field, note] = [await form.serviceType.boundingBox(), await emergencyNote.boundingBox()]
  expect((note?.y ?? 0) - (field?.y ?? 0) - (field?.height ?? 0)).toBeLessThan(16)
  // On a small laptop, the button is in view and the heading has two lines.
  await page.setViewportSize({ width: 1280, height: 720 })
  await expect(form.button).toBeInViewport({ ratio: 1 })
  const heading = page.locator('#estimate-heading')
  await expect(heading).toHaveText(/^Free estimate\.\nWe'll call by .+ tomorrow\.$/, {
    useInnerText: true,
  })
  for (const width of [1280, 390, 360]) {
    await page.setViewportSize({ width, height: 720 })
    const lines = await heading.evaluate((heading) => {
      const { height } = heading.getBoundingClientRect()
      return Math.round(height / Number.parseFloat(getComputedStyle(heading).lineHeight))
    })
    expect([width, lines]).toEqual([width, 2])
  }
  await form.fillIn({ ...visitor, serviceType: 'emergency' })
  await expect(form.root.getByRole('heading', { name: openHeading })).toBeVisible()
  await form.press()
  await expect(form.received).toContainText(
    fill(words.received.callBy, { time: computeCallTime('20:00') }),
  )

  await form.fillIn()
  await form.button.click()
  const time = `${callTime} tomorrow`
  // The message shows the time only once.
  await expect(form.received).toHaveText(formatReceived(time), { useInnerText: true })
  await expect(page.getByText(fill(words.closed.toast, { time }))).toBeVisible()

  // After midnight, the promised time is today.
  await page.clock.setSystemTime(at('2026-11-18T06:00'))
  await page.reload()
  await expect(form.received).toHaveText(formatReceived(callTime), { useInnerText: true })
})

test('shows the button and a one-line emergency hint on the first screen of a phone, open and closed', async ({
  page,
  form,
}) => {
  test.skip(!('sample' in company), 'an owner may have a longer name and headline')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.clock.install()
  for (const time of ['2026-11-17T12:00', '2026-11-17T20:00']) {
    await page.clock.setSystemTime(at(time))
    await page.goto(url)
    await expect(form.button).toBeInViewport({ ratio: 1 })
    const hint = form.root.getByText(words.closed.emergency)
    const { height = 0 } = (await hint.boundingBox()) ?? {}
    expect(height).toBeLessThan(30)
    await expect(page.locator('.proof')).toBeInViewport({ ratio: 1 })
  }
})

test('shows no time if the time of a repeated request has passed', async ({ page, form }) => {
  const receivedAt = at('2026-11-17T10:55')
  await page.clock.install({ time: receivedAt })
  await form.answerWith({
    status: 200,
    headers: { date: receivedAt.toUTCString(), 'x-call-by': at('2026-11-17T10:20').toISOString() },
  })
  await page.goto(url)
  await form.fillIn()
  await form.press()
  await expect(form.received).toContainText(words.received.callSoon)
})

test('shows the server’s time for the call if the hours have changed since the page was opened', async ({
  page,
  form,
  baseURL,
}) => {
  const receivedAt = at('2026-11-17T10:55')
  await page.clock.install({ time: receivedAt })
  const answer = (callBy: Date) => ({
    status: 200,
    headers: { date: receivedAt.toUTCString(), 'x-call-by': callBy.toISOString() },
  })
  const time = `${callTime} tomorrow`
  for (const [address, toast] of [
    [baseURL, words.received.callBy],
    [url, words.closed.toast],
  ] as const) {
    await form.answerWith(answer(at('2026-11-18T07:10')))
    await page.goto(`${address}/`)
    await form.fillIn()
    await form.button.click()
    await expect(form.received).toContainText(fill(words.received.callBy, { time }))
    await expect(page.getByRole('listitem').getByText(fill(toast, { time }))).toBeVisible()
    await expect(form.toast('received')).toHaveCount(0)
    await page.reload()
    await expect(page.locator('#estimate-received')).toContainText(time, { useInnerText: true })
  }
  // In the reverse case, the page's hours say closed, and the server's hours say open.
  await page.clock.setSystemTime(at('2026-11-17T20:00'))
  await form.answerWith({
    headers: {
      date: at('2026-11-17T20:00').toUTCString(),
      'x-call-by': at('2026-11-17T20:10').toISOString(),
    },
  })
  await page.reload()
  await form.fillIn()
  await form.press()
  await expect(form.received).toContainText(
    fill(words.received.callBy, { time: computeCallTime('20:00') }),
  )
})

test.describe('a visitor in another time zone', () => {
  test.use({ timezoneId: 'America/New_York' })
  test('sees the company’s time with its time zone, on a holiday', async ({ page, form }) => {
    await page.clock.install({ time: at('2026-12-25T09:00') })
    await page.goto(url)
    const heading = fill(words.closed.heading, { time: `${callTime} CST tomorrow` })
    const shown = page.locator('#estimate-heading')
    await expect(shown).toHaveText(heading)
    await form.name.focus()
    await form.expectHydrated()
    await expect(shown).toHaveText(heading)
  })
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  test('shows text that is true at any hour', async ({ page }) => {
    await page.goto(`${url}/#estimate-received-closed`)
    await expect(page.locator('#estimate').getByText(words.closed.emergency)).toBeVisible()
    const outcome = page.locator('#estimate-received-closed')
    const { heading, callAfterOpening, next } = words.received
    await expect(outcome).toHaveText(`${heading} ${callAfterOpening} ${next} ${company.phone}`, {
      useInnerText: true,
    })
    await expect(outcome.getByRole('link', { name: company.phone })).toBeInViewport()
    // The outcome replaces the heading at the top of the card.
    await expect(page.locator('#estimate-heading')).toBeHidden()
    const { x, y, width } = (await outcome.boundingBox()) ?? {}
    expect(await page.locator('.estimate-card').boundingBox()).toMatchObject({ x, y, width })
  })
})

test('promises no call to a visitor who sent nothing, whatever the storage does', async ({
  browser,
  baseURL,
}) => {
  const block = () =>
    Object.defineProperty(window, 'sessionStorage', {
      get: () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      },
    })
  const fill = () => sessionStorage.setItem('call-by', 'abc')
  const fillLate = () => sessionStorage.setItem('call-by', '1e20')
  for (const address of [`${baseURL}/`, `${url}/`])
    for (const prepare of [block, fill, fillLate]) {
      const page = await browser.newPage()
      const errors: Error[] = []
      page.on('pageerror', (error) => errors.push(error))
      await page.addInitScript(prepare)
      await page.goto(address)
      // Wait until the inline script has run.
      await expect(page.locator('.deferred')).toHaveCount(0)
      expect(errors).toEqual([])
      await expect(page.locator('#estimate-received')).toBeHidden()
      await expect(page.getByText('Invalid Date')).toHaveCount(0)
      await page.close()
    }
})

test('the layout does not shift when the heading changes', async ({ page }) => {
  await page.clock.install()
  const heading = page.locator('#estimate-heading')
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport)
    await page.clock.setSystemTime(at('2026-11-21T17:59:30'))
    await page.goto(url)
    await expect(heading).toHaveText(openHeading)
    // Wait for the font, because weight.spec.ts tests shifts from a late font.
    await page.evaluate(async () => void (await document.fonts.ready))
    await waitForPaint(page)
    await page.evaluate(watchShifts, false)
    // Show the text that the page contains before its script runs.
    await heading.evaluate((element, text) => {
      element.textContent = text
    }, words.closed.headingAnytime)
    await expectNoShift(page)
    await page.clock.runFor('00:30')
    await expect(heading).toHaveText(/on\sMonday/)
    await expectNoShift(page)
  }
})
