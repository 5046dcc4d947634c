import type { Locator, Page } from '@playwright/test'
import { parseLocalTime } from '#leads/clock.ts'
import { testPath } from '#testing/app.ts'
import { hours } from './content.ts'
import { mailed, row } from './desk.ts'
import { expect } from './test.ts'

const at = (time: string) => parseLocalTime(time, hours.timeZone)

type Phone = { page: Page; tap(...targets: Locator[]): Promise<number> }

type Week = {
  clock: { at: number }
  /** Signs in on a phone that has the site's time. Its `tap` function returns the number of taps. */
  openPhone(person: string): Promise<Phone>
  /** Moves all clocks forward, and makes the site send what is due by then. */
  travel(to: number): Promise<void>
  /** Expects exactly these new emails to the owner since the previous check. */
  expectMail(...subjects: string[]): Promise<void>
}

const test = mailed.extend<Week>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructuring pattern
  clock: ({}, use) => use({ at: at('2026-11-16T10:00') }),
  now: ({ clock }, use) => use(() => clock.at),
  openPhone: ({ clock, signIn, site }, use) =>
    use(async (person) => {
      const page = await signIn(person, { viewport: { width: 390, height: 844 }, hasTouch: true })
      await page.clock.setFixedTime(clock.at)
      // Replace the Date header, which Node sets, because the desk reads the time from it.
      await page.route(`${site.deskUrl}/api/**`, async (route) => {
        const response = await route.fetch()
        const date = new Date(clock.at).toUTCString()
        await route.fulfill({ response, headers: { ...response.headers(), date } })
      })
      // Prevent links from dialing, because Chromium cannot dial.
      await page.evaluate(() =>
        document.addEventListener('click', (event) => {
          if ((event.target as Element).closest('[href^="tel:"]')) event.preventDefault()
        }),
      )
      const tap = async (...targets: Locator[]) => {
        for (const target of targets) await target.tap()
        return targets.length
      }
      return { page, tap }
    }),
  travel: ({ browser, clock, site }, use) =>
    use(async (to) => {
      clock.at = to
      const sent = { method: 'POST', headers: { apikey: 'public-anon-key' } }
      expect((await fetch(`${site.url}${testPath}/deliver`, sent)).status).toBe(202)
      for (const page of browser.contexts().flatMap((context) => context.pages())) {
        await page.clock.setFixedTime(to)
        await page.evaluate(() => dispatchEvent(new Event('online')))
      }
    }),
  expectMail: ({ mail }, use) => {
    let read = 0
    return use(async (...subjects) => {
      const list = () => mail.mails.filter(({ to }) => to.includes('owner@example.com')).slice(read)
      await expect.poll(() => list().map(({ subject }) => subject)).toEqual(subjects)
      read += subjects.length
    })
  },
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true })
const number = (card: Locator) => card.getByRole('link', { name: /^Call \(/ })

test('Sam and Alex take three homeowners through a week on their phones', async ({
  openPhone,
  expectMail,
  sendLead,
  travel,
}) => {
  const sam = await openPhone('Sam')
  const alex = await openPhone('Alex')
  const phones = [sam.page, alex.page]
  const expectBoth = async (title: string, name?: string, text = '') => {
    for (const page of phones) {
      await expect(heading(page)).toHaveText(title)
      if (name) await expect(row(page, name)).toContainText(text)
    }
  }

  await test.step('Monday: no answer, and another call is agreed on', async () => {
    await sendLead({ name: 'Karen Lind' })
    await expectMail('Call Karen Lind by 10:10 AM CST')
    await expectBoth('1 to call', 'Karen Lind', '10 min left')
    const samsCard = row(sam.page, 'Karen Lind')
    expect(await sam.tap(number(samsCard), button(samsCard, 'No answer'))).toBe(2)
    await expectBoth('All caught up', 'Karen Lind', 'Call again at 10:30 AM.')
    await travel(at('2026-11-16T10:30'))
    await expectMail('Call Karen Lind again: no answer (1 try)')
    await expectBoth('1 to call', 'Karen Lind', 'No answer (1 try). Call again now.')

    const card = row(alex.page, 'Karen Lind')
    const time = card.getByLabel('Another time')
    // On a real phone, the date and time picker would need more taps.
    const taps = await alex.tap(number(card), button(card, 'Call again…'), time)
    await time.fill('2026-11-19T15:00')
    expect(taps + (await alex.tap(button(card, 'Set')))).toBe(4)
    await expectBoth('All caught up', 'Karen Lind', 'Call again on Thursday at 3:00 PM.')
    // “Text” is the suggested next step only after an unanswered call.
    await expect(card.getByRole('link', { name: /^Text/ })).toHaveText('')
  })

  await test.step('Tuesday: a call that nobody gives a result', async () => {
    await travel(at('2026-11-17T09:00'))
    await sendLead({ name: 'Bob Roe' })
    await expectMail('Call Bob Roe by 9:10 AM CST')
    await sam.tap(number(row(sam.page, 'Bob Roe')))
    await expect(row(sam.page, 'Bob Roe')).toContainText('Did you reach Bob?')
    await expect(row(alex.page, 'Bob Roe')).toContainText('Sam is calling')
    await expectBoth('1 call without a result')
    const tops = [heading(sam.page), sam.page.getByRole('link', { name: 'Add a lead' })].map(
      async (element) => ((await element.boundingBox()) ?? { y: 0 }).y,
    )
    const [title = 0, add = 1_000] = await Promise.all(tops)
    expect(add - title).toBeLessThan(44)
    await travel(at('2026-11-17T09:30'))
    await expectMail('Did Sam reach Bob Roe?')
    await travel(at('2026-11-17T11:00'))
    await expectMail('Call Bob Roe again: Sam called but didn’t enter a result')
    await expectBoth('1 to call', 'Bob Roe', 'Sam called but didn’t enter a result')
    const card = row(sam.page, 'Bob Roe')
    await sam.tap(card.getByText('Enter the result'), button(card, 'Done'))
    await expectBoth('All caught up', 'Bob Roe', 'Done')
  })

  await test.step('Wednesday: a wrong number, a call, and a roof', async () => {
    await travel(at('2026-11-18T14:00'))
    await sendLead({ name: 'Maria Gomez', phone: '(612) 555-0101' })
    await expectMail('Call Maria Gomez by 2:10 PM CST')
    await sam.tap(row(sam.page, 'Maria Gomez').getByRole('link', { name: 'Maria Gomez' }))
    await sam.tap(sam.page.getByText('Correct the details'))
    await sam.page.getByLabel('Phone').fill('612-555-0102')
    await sam.tap(button(sam.page, 'Save'))
    const card = row(alex.page, 'Maria Gomez')
    const corrected = card.getByRole('link', { name: 'Call (612) 555-0102' })
    expect(await alex.tap(corrected, button(card, 'Done'))).toBe(2)
    await expect(heading(alex.page)).toHaveText('All caught up')

    await alex.tap(card.getByRole('link', { name: 'Maria Gomez' }), button(alex.page, 'Won'))
    await alex.page.getByLabel('Amount (optional)').fill('12,500')
    await alex.tap(button(alex.page, 'Save'))
    for (const page of phones)
      await expect(page.locator('.lead-head')).toContainText('Won, $12,500')
    for (const { page, tap } of [sam, alex])
      await tap(page.getByRole('link', { name: 'Today' }).last())
  })

  await test.step('Thursday: the call that was agreed on', async () => {
    await travel(at('2026-11-19T07:00'))
    await expectMail('To do: 1 to call again today')
    await expectBoth('All caught up', 'Karen Lind', 'Call again at 3:00 PM.')
    await travel(at('2026-11-19T15:00'))
    await expectMail('Call Karen Lind again: we agreed to another call')
    await expectBoth('1 to call', 'Karen Lind', 'Call again now.')
    const card = row(sam.page, 'Karen Lind')
    expect(await sam.tap(number(card), button(card, 'Done'))).toBe(2)
    await expectBoth('All caught up', 'Karen Lind', 'Done')
  })

  await test.step('Sunday: nothing slipped away', async () => {
    await travel(at('2026-11-22T18:00'))
    await expectBoth('All caught up')
    for (const { page, tap } of [sam, alex]) {
      await expect(page.locator('.card.lead')).toHaveCount(0)
      await tap(page.getByRole('link', { name: 'Report' }))
      await expect(page.getByRole('definition').first()).toHaveText('3 of 3')
      const sources = page.getByRole('table').filter({ hasText: 'Reached' })
      await expect(sources.getByRole('row').last().getByRole('cell')).toHaveText([
        '3',
        '3',
        '1',
        '$12,500',
      ])
    }
    await expectMail()
  })
})
