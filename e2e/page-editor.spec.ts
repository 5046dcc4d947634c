import type { Page } from '@playwright/test'
import { parseLocalTime } from '#leads/clock.ts'
import { company, hero, hours, testimonials } from '#site/content.ts'
import { checkAxe, test } from './desk.ts'
import { headline, isSaved, openSection, preview, publish } from './page-editor.ts'
import { expect, phone } from './test.ts'

// Some tests need the sample content, which owners replace.
const isSample = 'sample' in company

test('the owner publishes a headline with six taps, and undoes it', async ({ signIn, site }) => {
  test.skip(!isSample, 'the content is not the sample')
  const sam = await signIn('Sam')
  const readPage = async () => (await sam.request.get(site.url)).text()
  let taps = 0
  const tap = (target: ReturnType<Page['getByRole']>) => {
    taps += 1
    return target.click()
  }
  await tap(sam.getByRole('link', { name: 'Page', exact: true }))
  await expect(sam.getByText(/\d+ samples to replace\b/)).toBeVisible()
  await expect(sam.getByText('Only the person who set up this site can change')).toBeVisible()
  await checkAxe(sam, 'page')
  await tap(sam.getByRole('link', { name: 'Top of the page' }))
  await tap(headline(sam))
  await headline(sam).fill('Dry by Friday.')
  await expect(preview(sam).getByRole('heading', { level: 1 })).toHaveText('Dry by Friday.')
  // A click on a link in the preview does nothing.
  await preview(sam).locator('a[href="/"]').first().click({ force: true })
  await checkAxe(sam, 'a section')
  await expect(preview(sam).getByRole('heading', { level: 1 })).toHaveText('Dry by Friday.')
  await tap(sam.getByRole('button', { name: 'Publish…' }))
  const dialog = sam.getByRole('dialog')
  await expect(dialog.locator('del')).toHaveText([hero.headline])
  await expect(dialog.locator('ins')).toHaveText(['Dry by Friday.'])
  // Arrow keys scroll the changes, not the page behind the dialog.
  await expect(dialog.getByRole('list', { name: 'Changes' })).toBeFocused()
  await expect(dialog.locator('ul')).toHaveCount(1)
  await expect(sam.locator('html')).toHaveCSS('overflow-y', 'hidden')
  await checkAxe(sam, 'publish')
  await tap(dialog.getByRole('button', { name: 'Publish', exact: true }))
  await expect(sam.locator('.publish-bar')).toContainText('Published. Visitors see it now.')
  await expect(sam.locator('.publish-bar')).toBeFocused()
  expect(taps).toBeLessThanOrEqual(6)

  expect(await readPage()).toContain('Dry by Friday.')
  await expect(sam.getByRole('link', { name: 'Open the page' })).toHaveAttribute('href', /^http/)
  await sam.getByRole('button', { name: 'Undo' }).click()
  await expect(sam.getByText('Undone. Visitors see the earlier page.')).toBeVisible()
  await expect(headline(sam)).toHaveValue(hero.headline)
  expect(await readPage()).not.toContain('Dry by Friday.')

  await sam.getByRole('link', { name: 'Page', exact: true }).first().click()
  await sam.getByText('Older versions').click()
  await expect(sam.getByText('The original page')).toBeVisible()
  await checkAxe(sam, 'older versions')
  await sam
    .getByRole('listitem')
    .filter({ hasText: 'Sam,' })
    .getByRole('button', { name: 'Publish this again' })
    .first()
    .click()
  await sam.getByRole('dialog').getByRole('button', { name: 'Publish this again' }).click()
  await expect(sam.getByText('Published again. Visitors see it now.')).toBeVisible()
  expect(await readPage()).toContain('Dry by Friday.')
})

const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)> "quotes" & émoji 🏠 שלום`

test('the owner replaces the reviews, sets hours, and fixes mistakes, and visitors see the result', async ({
  signIn,
  site,
  page,
  browser,
  endings,
}) => {
  test.skip(!isSample, 'the content is not the sample')
  const sam = await signIn('Sam')
  await openSection(sam, 'Reviews')
  const items = sam.locator('.item')
  await expect(items.first()).toBeVisible()
  const count = await items.count()
  const sample = (await items.first().getByRole('button').first().textContent()) ?? ''
  await items.first().getByRole('button').first().click()
  await expect(sam.getByText('Sample: replace or delete this review.')).toBeVisible()
  await sam.getByRole('button', { name: 'Delete Review 1', exact: true }).click()
  await expect(items).toHaveCount(count - 1)
  await expect(items.first()).toBeFocused()
  await sam.getByRole('button', { name: 'Undo' }).click()
  await expect(items.first()).toContainText(sample)
  await sam.getByRole('button', { name: `Delete ${count} sample reviews` }).click()
  await expect(items).toHaveCount(0)
  for (const name of ['Ann Lee', '']) {
    await sam.getByRole('button', { name: 'Add a review' }).click()
    await expect(sam.getByLabel('Name')).toBeFocused()
    await sam.getByLabel('Name').fill(name)
    await sam.getByLabel('Review', { exact: true }).fill('Good work.')
  }
  // There is no error, because the owner has not finished this review yet.
  await expect(sam.getByText('Name is empty')).toHaveCount(0)
  await sam.getByRole('button', { name: 'Move Review 2 up' }).click()
  const moveDown = sam.getByRole('button', { name: 'Move Review 1 down' })
  await expect(moveDown).toBeFocused()
  await expect(items.nth(1)).toHaveText(/^Ann Lee/)
  await expect(preview(sam).getByRole('heading', { name: testimonials.heading })).toBeVisible()
  // The new preview scrolls to its section without scrolling the desk.
  await expect
    .poll(() =>
      preview(sam)
        .locator('html')
        .evaluate(() => scrollY),
    )
    .toBeGreaterThan(500)
  await expect(moveDown).toBeInViewport()

  await openSection(sam, 'Contact')
  await expect(sam.getByText(/^Sample: replace each entry/)).toBeVisible()
  const number = sam.getByLabel('Phone number', { exact: true })
  await number.fill('555-CALL-NOW')
  await expect(number).toHaveAccessibleDescription(/must be a US phone number/)
  await expect(sam.getByText(/^Sample: replace each entry/)).toBeVisible()
  await openSection(sam, 'Top of the page')
  await headline(sam).fill('Hello {unknown}')
  await expect(headline(sam)).toHaveAccessibleDescription(
    /^Headline has the unknown placeholder {unknown}/,
  )
  await checkAxe(sam, 'mistakes')

  await openSection(sam, 'Hours')
  await sam.getByRole('button', { name: 'Set hours' }).click()
  // A half-typed time must stay in its part of the day when the previous part is deleted.
  for (let parts = 2; parts <= 4; parts++)
    await sam.getByRole('button', { name: 'Add a break on Tuesday' }).click()
  await sam.getByLabel('Tuesday opens, part 4').pressSequentially('1')
  await sam.getByRole('button', { name: 'Delete part 3 of Tuesday' }).click()
  const isHalfTyped = (input: HTMLInputElement | SVGElement) =>
    (input as HTMLInputElement).validity.badInput
  expect(await sam.getByLabel('Tuesday opens, part 3').evaluate(isHalfTyped)).toBe(true)
  await sam.getByLabel('Monday opens').fill('07:00')
  await sam.getByLabel('Saturday').check()
  await sam.getByLabel('Saturday closes').fill('12:00')
  await sam.getByRole('button', { name: 'Copy Monday’s hours' }).click()
  await sam.getByRole('button', { name: 'Monday through Friday' }).first().click()
  await expect(sam.getByLabel('Friday opens')).toHaveValue('07:00')
  await expect(sam.getByLabel('Saturday closes')).toHaveValue('12:00')
  await sam.getByRole('button', { name: 'Add a holiday' }).click()
  await sam.getByLabel('Holiday 1', { exact: true }).fill('2030-12-25')
  await sam.getByLabel('Every year').check()
  await sam.getByLabel('Emergencies').selectOption('when open')
  await expect(
    sam.getByText(/you’re (open|closed) now, and the page promises a call by \d/),
  ).toBeVisible()
  await checkAxe(sam, 'hours')

  await sam.getByRole('button', { name: 'Publish…' }).click()
  const fixFirst = sam.getByRole('dialog', { name: 'Fix this first' })
  await expect(fixFirst.getByRole('link')).toHaveCount(3)
  await fixFirst.getByRole('link', { name: 'Headline has the unknown' }).click()
  await headline(sam).fill(hostile)
  await openSection(sam, 'Contact')
  await number.fill('(612) 234-7810')
  await openSection(sam, 'Reviews')
  await sam.getByRole('button', { name: /^Review 1 ?Fix/ }).click()
  await sam.getByLabel('Name').fill('Bob Ray')
  await isSaved(sam)

  await sam.getByRole('link', { name: 'Page', exact: true }).first().click()
  await sam.getByRole('button', { name: 'Publish…' }).click()
  const dialog = sam.getByRole('dialog')
  await checkAxe(sam, 'publish with warnings')
  // The sample text promises emergency help day or night, but the new hours don't.
  await dialog.getByRole('link', { name: 'Check “Heading”' }).click()
  await expect(sam.getByRole('heading', { name: 'Emergencies' })).toBeVisible()
  await publish(sam)
  await sam.getByRole('button', { name: 'Undo' }).click()
  const question = sam.getByRole('dialog', { name: 'Bring back the sample reviews?' })
  await question.getByRole('button', { name: 'Cancel' }).click()

  const withoutScript = await browser.newContext({ javaScriptEnabled: false, viewport: phone })
  endings.push(() => withoutScript.close())
  // The `page` fixture fails on errors, such as violations of the Content-Security-Policy.
  for (const visitor of [page, await withoutScript.newPage()]) {
    await visitor.goto(site.url)
    await expect(visitor.getByRole('heading', { level: 1 })).toHaveText(hostile)
    await expect(visitor.getByRole('link', { name: /234-7810/ }).first()).toBeVisible()
    for (const text of ['Bob Ray', 'Ann Lee', 'Mon–Fri 7 AM–5 PM', 'Sat 8 AM–12 PM'])
      await expect(visitor.getByText(text).first()).toBeVisible()
    await expect(visitor.getByText(sample)).toHaveCount(0)
  }
})

test('the editor says that we are closed only once we are', async ({ signIn }) => {
  const sam = await signIn('Sam')
  await openSection(sam, 'Hours')
  await sam.getByRole('button', { name: 'Set hours' }).click()
  // Block requests, because a response would set the clock back.
  await sam.route('**/api/**', (route) => route.abort())
  const closesAt = parseLocalTime('2030-01-07T17:00', hours.timeZone)
  await sam.clock.setFixedTime(closesAt - 30_000)
  await expect(sam.getByText(/you’re open now/)).toBeVisible()
  await sam.clock.setFixedTime(closesAt)
  await expect(sam.getByText(/you’re closed now/)).toBeVisible()
})
