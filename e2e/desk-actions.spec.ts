import { checkAxe, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

test.describe('when Airtable cannot be reached', () => {
  const apiUrl = 'http://127.0.0.1:1'
  const airtable = { AIRTABLE_TOKEN: 't', AIRTABLE_BASE_ID: 'b', AIRTABLE_API_URL: apiUrl }
  test.use({ settings: airtable })

  test('a lead can be retried with all others, and erased here only, on every phone', async ({
    sendLead,
    signIn,
  }) => {
    await sendLead()
    const page = await signIn('Sam')
    const dana = await signIn('Dana')
    await dana.getByRole('link', { name: visitor.name }).click()
    await expect(dana.getByRole('heading', { name: visitor.name })).toBeVisible()
    await page.getByRole('link', { name: visitor.name }).click()
    await expect(page.getByText('Airtable couldn’t be reached')).toBeVisible()
    await page.getByRole('button', { name: 'Retry for all leads' }).click()
    await expect(page.getByText('Resending 1 message now.')).toBeVisible()

    const erase = page.getByRole('button', { name: 'Erase this lead…' })
    // The notice must not cover the last button of the page.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    const [lastButton, notice] = [
      await erase.boundingBox(),
      await page.locator('.notice').boundingBox(),
    ]
    expect(lastButton?.y).toBeLessThan((notice?.y ?? 0) - (lastButton?.height ?? 0))
    await erase.click()
    const name = page.getByLabel('To confirm, type the name')
    await name.fill('Jane')
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText(
      'The name doesn’t match. Type it exactly as shown.',
    )
    await name.fill(visitor.name)
    const hereOnly = page.getByRole('button', { name: 'Erase here only' })
    await expect(hereOnly).toHaveCount(0)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('Nothing was erased.')
    await checkAxe(page, 'erase here only')
    await hereOnly.click()
    await expect(page.getByText(/In Airtable, delete the row with Lead ID \S+/)).toBeVisible()
    await expect(dana.getByRole('heading', { name: 'This lead was erased' })).toBeVisible()
    await expect(dana.getByText('Someone erased it')).toBeVisible()
    await dana.getByRole('link', { name: 'Today' }).first().click()
    await expect(dana.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  })
})

test('a lead and the report distinguish sent, arrived, and failed', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  site.runSql(`delete from deliveries;
    insert into deliveries (lead_id, channel, reason, state, next_attempt_at, due_at, settled_at,
      arrived_at, tapped_at, last_error)
    select id, channel, 'received', state, 0, received_at, received_at + 500,
      received_at + arrived, received_at + tapped, error
    from leads, (
      select 'email' as channel, 'sent' as state, null as arrived, null as tapped, null as error
      union select 'push-0a1b2c3d', 'sent', 2100, 9000, null
      union select 'sms', 'failed', null, null, 'The number is a landline.')`)
  const page = await signIn('Sam')
  await page.getByRole('link', { name: visitor.name }).click()
  await expect(page.getByText('Sent to 2 places, 1 confirmed, 1 failed')).toBeVisible()
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
  await page.getByRole('button', { name: 'Undo “I’m calling”' }).click()
  // The pressed button is gone.
  await expect(page.locator('.controls')).toBeFocused()
  // The report counts leads whose time is up or that were called.
  await call.click()
  await expect(page.getByText('you’re calling.')).toBeVisible()
  await page.getByRole('link', { name: 'Report' }).click()
  const channels = page.locator('section', { hasText: 'Delivery time' }).getByRole('row')
  await expect(channels).toHaveText([
    /^Sent by/,
    /^Airtable \(2 pending\)/,
    /^Email1usually 0\.5 sec95% within 0\.5 sec–0$/,
    /^Push notification1usually 0\.5 sec95% within 0\.5 sec1usually 2\.1 sec95% within 2\.1 sec0$/,
    /^Text message0.*1$/,
  ])
})
