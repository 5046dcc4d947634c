import { company, form as words } from '#site/content.ts'
import { fields, fillIn, press, submitButton, visitor } from './form.ts'
import { expectRow, test } from './own-site.ts'
import { expect } from './test.ts'

// A lead's whole way, with nothing in between replaced: the built page in a browser, supabase-js,
// the function, the database, the delivery, a row. Over PostgreSQL and Deno: lead.prove.ts.

test('a lead goes from the form to a row', async ({ page, startSite, airtable }) => {
  await page.goto(await startSite(airtable.env))
  await fillIn(page, { ...visitor, name: 'Zoë Müller-Žižek' })
  await press(page)
  await expect(fields(page).name).toHaveValue('')
  await expectRow(airtable, 'Zoë Müller-žižek')
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a lead goes from the form to a row and back to the page; a failure offers the number', async ({
    page,
    startSite,
    airtable,
  }) => {
    const url = await startSite({ ...airtable.env, RATE_LIMIT_PER_MINUTE: '1' })
    await page.goto(url)
    await fillIn(page)
    await submitButton(page).click()
    await expect(page).toHaveURL(`${url}/#estimate-received`)
    await expect(page.getByText(words.toasts.received)).toBeInViewport()
    await expect(page.getByText(words.toasts.failed)).toBeHidden()
    await expectRow(airtable)

    await page.goto(url)
    await fillIn(page, { ...visitor, name: 'John Doe' })
    await submitButton(page).click()
    await expect(page.getByText(words.toasts.failed)).toBeInViewport()
    const outcome = page.locator('#estimate-failed')
    await expect(outcome.getByRole('link', { name: company.phone })).toBeVisible()
  })
})
