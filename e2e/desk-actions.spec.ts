import { checkAxe, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

test.describe('when Airtable cannot be reached', () => {
  const apiUrl = 'http://127.0.0.1:1'
  const airtable = { AIRTABLE_TOKEN: 't', AIRTABLE_BASE_ID: 'b', AIRTABLE_API_URL: apiUrl }
  test.use({ settings: airtable })

  test('a lead can be retried, alone or with all others, and erased here only, on every phone', async ({
    site,
    sendLead,
    signIn,
  }) => {
    await sendLead()
    site.runSql('update deliveries set due_at = due_at - 3600000')
    const page = await signIn('Sam')
    const dana = await signIn('Dana')
    await dana.getByRole('link', { name: visitor.name }).click()
    await expect(dana.getByRole('heading', { name: visitor.name })).toBeVisible()
    await page.getByRole('link', { name: visitor.name }).click()
    await expect(page.locator('.deliveries')).toContainText('Airtable couldn’t be reached')
    await page.locator('.deliveries').getByRole('button', { name: 'Retry now' }).click()
    await expect(page.getByText('Retrying now.')).toBeVisible()
    const banner = page.getByRole('complementary', { name: 'Warnings' })
    await banner.locator('summary').click()
    await banner.getByRole('button', { name: 'Retry now' }).click()
    await expect(page.getByText('Sending 1 pending message now.')).toBeVisible()

    const erase = page.getByRole('button', { name: 'Erase this lead…' })
    // The notice must not cover the last button of the page.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    const [lastButton, notice] = [
      await erase.boundingBox(),
      await page.locator('.notice').boundingBox(),
    ]
    expect(lastButton?.y).toBeLessThan((notice?.y ?? 0) - (lastButton?.height ?? 0))
    await erase.click()
    const name = page.getByLabel('To confirm, type')
    await expect(name).not.toHaveAttribute('aria-invalid')
    await name.fill('Jane')
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText(
      'That doesn’t match. Type it exactly as shown.',
    )
    await expect(name).toHaveAttribute('aria-invalid')
    await name.fill(visitor.name)
    const hereOnly = page.getByRole('button', { name: 'Erase here only' })
    await expect(hereOnly).toHaveCount(0)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('The lead wasn’t erased.')
    await expect(name).not.toHaveAttribute('aria-invalid')
    await checkAxe(page, 'erase here only')
    await hereOnly.click()
    await expect(page.getByText(/In Airtable, delete the row with Lead ID \S+/)).toBeVisible()
    await expect(dana.getByRole('heading', { name: 'This lead was erased' })).toBeVisible()
    await expect(dana.getByText('Someone erased it')).toBeVisible()
    await dana.getByRole('link', { name: 'Today' }).first().click()
    await expect(dana.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  })
})

test('a lead distinguishes sent, arrived, and failed', async ({ site, sendLead, signIn }) => {
  await sendLead()
  site.runSql(`delete from deliveries;
    insert into deliveries (lead_id, recipient, reason, state, next_attempt_at, due_at, settled_at,
      arrived_at, tapped_at, last_error)
    select id, recipient, 'received', state, 0, received_at, received_at + 500,
      received_at + arrived, received_at + tapped, error
    from leads, (
      select 'email' as recipient, 'sent' as state, null as arrived, null as tapped, null as error
      union select 'push-0a1b2c3d', 'sent', 2100, 9000, null
      union select 'sms', 'failed', null, null, 'The number is a landline.')`)
  const page = await signIn('Sam')
  await page.getByRole('link', { name: visitor.name }).click()
  await expect(page.getByText('Sent to 2 destinations, 1 confirmed, 1 failed')).toBeVisible()
  const states = [
    ['sent', /^Email: sent (on \w{3} \d+ )?at [\d:]+ [AP]M [\w+:-]+$/],
    ['arrived', /^Push notification: shown 2\.1 sec after the request, tapped (on \w{3} \d+ )?at/],
    ['failed', /^Text message: failed, tried .*The number is a landline\.$/],
  ] as const
  for (const [state, words] of states)
    await expect(page.locator(`.deliveries li[data-state=${state}]`)).toHaveText(words)
  await checkAxe(page, 'deliveries in every state')
  const call = page.getByRole('button', { name: 'I’m calling', exact: true })
  await call.click()
  // For the caller, “I didn’t call” replaces this button.
  await expect(page.getByRole('button', { name: 'Undo “I’m calling”' })).toHaveCount(0)
  await page.getByRole('button', { name: 'I didn’t call', exact: true }).click()
  // The pressed button is gone, so the focus has moved.
  await expect(page.locator('.controls')).toBeFocused()
})
