import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

const button = (name: string) => ({ name, exact: true })

test('two phones: call, no answer, call again, undo twice, note, done', async ({
  sendLead,
  signIn,
}) => {
  const sam = await signIn('Sam')
  const dana = await signIn('Dana')
  const notice = sam.locator('.notice')
  const samsRow = row(sam, visitor.name)
  const danasRow = row(dana, visitor.name)
  await expect(sam.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  await sendLead()
  await expect(samsRow).toContainText('min left')
  await expect(sam).toHaveTitle(/^1 to call/)

  // A colleague's call takes neither the focus nor the note that is being typed.
  await dana.getByRole('link', { name: visitor.name }).click()
  const danasNote = dana.getByLabel('Note')
  await danasNote.fill('x'.repeat(490))
  await expect(dana.getByText('10 characters left')).toBeVisible()
  const call = samsRow.getByRole('link', { name: `Call ${visitor.phone}` })
  await expect(call).toHaveAttribute('href', 'tel:5551234567')
  await samsRow.getByRole('button', button('I’m calling')).click()
  await expect(samsRow).toContainText(`You’re calling ${visitor.name}`)
  await expect(sam.getByRole('heading', { name: '1 call without a result' })).toBeVisible()
  // The focus follows the card to the person's own calls.
  await expect(samsRow).toBeFocused()
  await expect(dana.locator('.lead-head')).toContainText('Sam is calling')
  await expect(danasNote).toBeFocused()
  await expect(danasNote).toHaveValue('x'.repeat(490))
  await danasNote.fill('')
  await dana.getByRole('link', { name: 'Today' }).first().click()
  await expect(danasRow.getByRole('button')).toHaveCount(0)
  // The card survives a reload, with the number and what was being typed.
  await samsRow.getByLabel('Note').fill('Gate code 1357')
  await sam.reload()
  await expect(samsRow.getByLabel('Note')).toHaveValue('Gate code 1357')
  await expect(samsRow.getByRole('link', { name: `Call ${visitor.phone}` })).toBeVisible()
  await checkAxe(sam, 'calling')

  // The note is saved with the result of the call.
  await samsRow.getByRole('button', button('No answer')).click()
  await expect(sam.getByRole('heading', { name: 'Call again' })).toBeVisible()
  // No other lead waits, so only the text has the brand's color.
  await expect(samsRow.locator('a.button:not([data-quiet])')).toHaveText(['Text'])
  await expect(danasRow).toContainText('Sam: Gate code 1357')
  await danasRow.getByText('Change the time').click()
  // The morning of the next day that we are open.
  const morning = danasRow.locator('.change-time .outcomes').getByRole('button').last()
  const [time = ''] = (await morning.textContent())?.match(/\d+:\d\d/) ?? []
  expect(time).not.toBe('')
  await morning.click()
  await expect(danasRow.locator('.change-time')).toBeFocused()
  await expect(dana.locator('.notice')).toContainText(/time changed\. Call again .*at /)
  await expect(samsRow).toContainText(
    new RegExp(`No answer \\(1 try\\)\\. Call again .*at ${time}`),
  )
  await checkAxe(sam, 'call again')

  await dana.locator('.notice').getByRole('button', button('Undo')).click()
  await expect(dana.locator('.notice')).toContainText(
    'Undid “Change the time.” The homeowner didn’t answer.',
  )
  await expect(dana.getByRole('heading', { level: 1 })).toBeFocused()
  await dana.getByRole('link', { name: visitor.name }).click()
  await dana.getByRole('button', { name: 'Undo “No answer”' }).click()
  await expect(dana.locator('.notice')).toContainText('Undid “No answer.” Sam is calling.')
  await expect(samsRow).toContainText(`You’re calling ${visitor.name}`)

  // The homeowner asks for a call in two days.
  await samsRow.getByRole('button', button('Call again…')).click()
  const inTwoDays = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10)
  await samsRow.getByLabel('Another time').fill(`${inTwoDays}T09:00`)
  await checkAxe(sam, 'another time')
  await samsRow.getByRole('button', button('Set')).click()
  await expect(samsRow).toContainText(/We agreed on another call\. Call again .*9:00.AM\./)
  await notice.getByRole('button', button('Undo')).click()
  await expect(samsRow).toContainText(`You’re calling ${visitor.name}`)

  await sam.getByRole('link', { name: visitor.name }).click()
  const lead = sam.locator('.lead-pane')
  await lead.getByLabel('Note').fill('Wants a metal roof')
  await lead.getByRole('button', button('Add note')).click()
  await expect(notice).toContainText('note added.')
  // The pressed button is gone.
  await expect(lead.locator('.note-field')).toBeFocused()
  await lead.getByRole('button', button('Done')).click()
  await expect(sam.locator('.lead-head')).toContainText('Done: first call after')
  await expect(sam.locator('.events li')).toHaveText([
    /[AP]M.*Sam marked this as done$/,
    /Sam wrote: Wants a metal roof$/,
    /Sam undid “Call again…”$/,
    /Sam called, agreed to call again on .* \(undone\)$/,
    /Dana undid “No answer”$/,
    /Dana undid “Change the time”$/,
    /Dana moved the next call to .* \(undone\)$/,
    /Sam called, no answer \(undone\)$/,
    /Sam wrote: Gate code 1357$/,
    /Sam called$/,
    /Request received$/,
  ])
  await checkAxe(sam, 'history')
  await dana.getByRole('link', { name: 'Report' }).click()
  await expect(dana.getByRole('row', { name: /^Sam/ })).toHaveText('Sam10')
  await expect(dana.getByText('1 of 1 request got a call on time.')).toBeVisible()
})

test('a press without a connection is shown as not sent, and then sent or refused', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  await sendLead({ name: 'John Doe' })
  const sam = await signIn('Sam')
  const dana = await signIn('Dana')
  await sam.context().setOffline(true)
  for (const name of [visitor.name, 'John Doe']) {
    const item = row(sam, name)
    await item.getByRole('button', button('I’m calling')).click()
    await expect(item).toContainText('Retrying while this page is open: “I’m calling”')
  }
  const lost = sam.getByText(/No connection\. Last updated \d+\ssec ago\./)
  await expect(lost).toBeVisible()
  await checkAxe(sam, 'not sent')
  await row(dana, 'John Doe').getByRole('button', button('I’m calling')).click()
  await expect(row(dana, 'John Doe')).toContainText('You’re calling')
  await sam.context().setOffline(false)
  await expect(row(sam, visitor.name)).toContainText(`You’re calling ${visitor.name}`)
  await expect(row(sam, 'John Doe')).toContainText('Dana is calling')
  await expect(lost).toBeHidden()
  await expect(sam.getByText('Not sent yet')).toHaveCount(0)
  await expect(row(dana, visitor.name)).toContainText('Sam is calling')
})
