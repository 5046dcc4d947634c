import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

test('a crew member corrects a number, a colleague’s older page is refused, and nothing typed is lost', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  const sam = await signIn('Sam')
  const dana = await signIn('Dana')
  for (const page of [sam, dana]) {
    await page.getByRole('link', { name: visitor.name }).click()
    await page.getByText('Correct the details').click()
    await expect(page.getByLabel('Phone')).toHaveValue(visitor.phone)
  }
  await dana.getByLabel('Phone').fill('612-555-0113')
  await checkAxe(sam, 'correct a lead')

  await sam.getByLabel('Phone').fill('612-555')
  await sam.getByRole('button', { name: 'Save' }).click()
  await expect(sam.getByRole('alert')).toHaveText(/^Check the phone number/)
  await expect(sam.getByLabel('Phone')).toBeFocused()
  await checkAxe(sam, 'a wrong number')
  // The typed text survives a reload.
  await sam.reload()
  await expect(sam.getByLabel('Phone')).toHaveValue('612-555')
  await sam.getByLabel('Phone').fill('612-555-0112')
  await sam.getByRole('button', { name: 'Save' }).click()
  await expect(sam.locator('.notice')).toHaveText(/Jane Doe.*: details corrected\.$/)
  await expect(sam.getByLabel('Phone')).toHaveCount(0)
  const change = `Sam changed the phone number from ${visitor.phone} to (612) 555-0112`
  await expect(sam.locator('.events')).toContainText(change)
  await sam.getByRole('link', { name: 'Today' }).first().click()
  const call = row(sam, visitor.name).getByRole('link', { name: 'Call (612) 555-0112' })
  await expect(call).toHaveAttribute('href', 'tel:6125550112')

  await dana.getByRole('textbox', { name: 'Name', exact: true }).fill('Jane Roe')
  await dana.getByRole('button', { name: 'Save' }).click()
  await expect(dana.getByRole('alert')).toContainText(change)
  await expect(dana.getByLabel('Phone')).toHaveValue('612-555-0113')
  await dana.getByRole('button', { name: 'Save' }).click()
  await expect(dana.locator('.events')).toContainText(
    'the phone number from (612) 555-0112 to (612) 555-0113',
  )
  await expect(dana.getByRole('heading', { name: 'Jane Roe' })).toBeVisible()
  await dana.getByText('Correct the details').click()
  await dana.getByRole('button', { name: 'Save' }).click()
  await expect(dana.getByRole('alert')).toHaveText(
    'Nothing has changed, so there’s nothing to save.',
  )
})
