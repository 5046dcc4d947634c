import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

const button = (name: string) => ({ name, exact: true })

test('a colleague’s call keeps what is typed, and a colleague moves the next call and undoes both', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  const sam = await signIn('Sam')
  const dana = await signIn('Dana')
  const samsRow = row(sam, visitor.name)
  const danasRow = row(dana, visitor.name)
  const danasNote = dana.getByLabel('Note')
  const danasNotice = dana.locator('.notice')
  await dana.getByRole('link', { name: visitor.name }).click()
  await danasNote.fill('x'.repeat(490))
  await expect(dana.getByText('10 characters left')).toBeVisible()
  await samsRow.getByRole('button', button('I’m calling')).click()
  // The focus moves with the card to the group of the person's own calls.
  await expect(samsRow).toBeFocused()
  await expect(dana.locator('.lead-head')).toContainText('Sam is calling')
  await expect(danasNote).toBeFocused()
  await expect(danasNote).toHaveValue('x'.repeat(490))
  await dana.getByRole('button', button('Add note')).click()
  // The pressed button is gone, so the focus has moved.
  await expect(dana.locator('.note-field')).toBeFocused()
  await dana.getByRole('link', { name: 'Today' }).first().click()

  // A note survives a reload and is saved with the result of the call.
  await samsRow.getByLabel('Note').fill('Gate code 1357')
  await sam.reload()
  await expect(samsRow.getByLabel('Note')).toHaveValue('Gate code 1357')
  await checkAxe(sam, 'calling')
  await samsRow.getByRole('button', button('No answer')).click()
  // No other lead needs a call, so “Text” is the only primary button.
  await expect(samsRow.locator('a.button:not([data-quiet])')).toHaveText(['Text'])
  await expect(danasRow).toContainText('Sam: Gate code 1357')
  await danasRow.getByText('Change the time').click()
  // The last choice is the morning of the next day when we are open.
  const morning = danasRow.locator('.change-time .outcomes').getByRole('button').last()
  const [time = ''] = (await morning.textContent())?.match(/\d+:\d\d/) ?? []
  expect(time).not.toBe('')
  await morning.click()
  await expect(danasRow.locator('.change-time')).toBeFocused()
  await expect(danasNotice).toContainText(/time changed\. Call again .*at /)
  await expect(samsRow).toContainText(
    new RegExp(`No answer \\(1 try\\)\\. Call again .*at ${time}`),
  )
  await checkAxe(sam, 'call again')

  await danasNotice.getByRole('button', button('Undo')).click()
  await expect(danasNotice).toContainText('Undid “Change the time.” The homeowner didn’t answer.')
  await expect(dana.getByRole('heading', { level: 1 })).toBeFocused()
  await dana.getByRole('link', { name: visitor.name }).click()
  await dana.getByRole('button', { name: 'Undo “No answer”' }).click()
  await expect(danasNotice).toContainText('Undid “No answer.” Sam is calling.')
  await checkAxe(dana, 'history')
  await samsRow.getByRole('button', button('Call again…')).click()
  await checkAxe(sam, 'another time')
  await dana.getByRole('link', { name: 'Report' }).click()
  await expect(dana.getByRole('row', { name: /^Sam/ })).toHaveText('Sam10')
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
  const lost = sam.getByText('No connection. Last updated just now.')
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
