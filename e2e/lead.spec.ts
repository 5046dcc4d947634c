import { company, form as words } from '#site/content.ts'
import { findForm, visitor } from './form.ts'
import { expectRow, test } from './own-site.ts'
import { expect } from './test.ts'

// A lead's whole way, with nothing in between replaced: the built page in a browser, supabase-js,
// the function, the database, the delivery, a row. Over PostgreSQL and Deno: lead.slow.test.ts.

test('a lead goes from the form to a row', async ({ page, form, startSite, airtable }) => {
  await page.goto(await startSite(airtable.env))
  await form.fillIn({ ...visitor, name: 'Zoë Müller-Žižek' })
  await form.press()
  await expect(form.name).toHaveValue('')
  await expectRow(airtable, { Name: 'Zoë Müller-žižek' })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a lead goes from the form to a row and back to the page; a failure offers the number', async ({
    page,
    form,
    startSite,
    airtable,
  }) => {
    const url = await startSite({ ...airtable.env, RATE_LIMIT_PER_MINUTE: '1' })
    // A refused field is named, with the way back to what was typed.
    await page.goto(`${url}/?utm_source=google&utm_campaign=spring-roofs`)
    await form.type({ ...visitor, email: 'jane@localhost' })
    await form.button.click()
    await expect(page).toHaveURL(/#estimate-email$/)
    const named = page.locator('#estimate-email')
    await expect(named).toBeInViewport()
    await expect(named).toContainText(`${words.labels.email}.`)
    await page.waitForLoadState()
    await page.goBack()
    await expect(page).toHaveURL(/utm_source/)
    await expect(form.email).toHaveValue('jane@localhost')

    // The page's own address tells the campaign.
    await form.type()
    await form.button.click()
    await expect(page).toHaveURL(`${url}/#estimate-received`)
    await expect(page.getByText(words.toasts.received)).toBeInViewport()
    await expect(page.getByText(words.toasts.failed)).toBeHidden()
    await expectRow(airtable, { Source: expect.stringContaining('spring-roofs') })

    await page.goto(url)
    await form.type({ ...visitor, name: 'John Doe' })
    await form.button.click()
    await expect(page.getByText(words.toasts.failed)).toBeInViewport()
    const outcome = page.locator('#estimate-failed')
    await expect(outcome.getByRole('link', { name: company.phone })).toBeVisible()
  })

  // Another process would have to be told what was typed, and 'back' can come sooner.
  test('the answer stays in the process that knows what was typed', async ({ page, startSite }) => {
    await page.goto(await startSite({}))
    // The browser takes the opener away from a page that it moves.
    const opened = page.waitForEvent('popup')
    await page.evaluate(() => void open(location.href))
    const popup = await opened
    const form = findForm(popup)
    await form.type({ ...visitor, email: 'jane@localhost' })
    await form.button.click()
    await expect(popup).toHaveURL(/#estimate-email$/)
    expect(await popup.evaluate(() => opener !== null)).toBe(true)
  })
})
