import { company, form as words } from './content.ts'
import { findForm, visitor } from './form.ts'
import { expectRow, test } from './own-site.ts'
import { expect } from './test.ts'

// Tests everything from the built page in a browser to the row in Airtable. Only Airtable is fake.

test('delivers a lead from the form to Airtable', async ({ page, form, startSite, airtable }) => {
  await page.goto(await startSite(airtable.env))
  await form.fillIn({ ...visitor, name: 'Zoë Müller-Žižek' })
  await form.press()
  await expect(form.name).toHaveValue('')
  await expectRow(airtable, { Name: 'Zoë Müller-žižek' })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('delivers a lead, shows the outcome, and offers the phone number after a failure', async ({
    page,
    form,
    startSite,
    airtable,
  }) => {
    const url = await startSite({ ...airtable.env, RATE_LIMIT_PER_MINUTE: '1' })
    const campaign = `${url}/?utm_source=google&utm_campaign=spring-roofs`
    await page.goto(campaign)
    // The outcome mentions the invalid field, and Back restores the typed values.
    const opened = page.waitForEvent('popup')
    await page.evaluate(() => void open(location.href))
    const popup = await opened
    const invalid = findForm(popup)
    await invalid.type({ ...visitor, email: 'jane@localhost' })
    await invalid.button.click()
    await expect(popup).toHaveURL(/#estimate-email$/)
    const named = popup.locator('#estimate-email')
    await expect(named).toBeInViewport()
    await expect(named).toContainText('Please check the email address you entered.')
    await popup.waitForLoadState()
    // If the page moved to a different browser process, it would lose its opener, and Back could clear the fields.
    expect(await popup.evaluate(() => opener !== null)).toBe(true)
    await popup.goBack()
    await expect(popup).toHaveURL(campaign)
    await expect(invalid.email).toHaveValue('jane@localhost')
    await popup.close()

    // The server reads the campaign from the page's URL.
    await form.type()
    await form.button.click()
    await expect(page).toHaveURL(`${url}/#estimate-received`)
    await expect(form.received).toBeInViewport({ ratio: 1 })
    await expect(page.getByText(words.toasts.failed)).toBeHidden()
    await expectRow(airtable, { Source: expect.stringContaining('spring-roofs') })

    await page.goto(url)
    await form.type({ ...visitor, name: 'John Doe' })
    await form.button.click()
    await expect(page.getByText(words.toasts.failed)).toBeInViewport()
    const outcome = page.locator('#estimate-failed')
    await expect(outcome.getByRole('link', { name: company.phone })).toBeVisible()
  })
})
