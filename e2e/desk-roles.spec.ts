import { checkAxe, enterDesk, row, mailed as test } from './desk.ts'
import { visitor } from './form.ts'
import { expect, phone } from './test.ts'

test('an owner invites a crew member, makes her an owner and crew again, and removes her', async ({
  mail,
  signIn,
  sendLead,
  browser,
  endings,
}) => {
  await sendLead()
  const sam = await signIn('Sam')
  await sam.getByRole('link', { name: 'People' }).click()
  await expect(row(sam, 'owner@example.com')).toContainText(
    'This email address is in the server’s settings',
  )
  await expect(row(sam, 'owner@example.com').getByRole('button')).toHaveCount(0)
  const address = sam.getByLabel('Crew member’s email address')
  await address.fill('dana@gmial.com')
  await sam.getByRole('button', { name: 'Did you mean dana@gmail.com?' }).click()
  await expect(address).toHaveValue('dana@gmail.com')
  await sam.getByRole('button', { name: 'Add' }).click()
  await expect(sam.getByText('Added. We sent an invitation to dana@gmail.com.')).toBeVisible()
  await expect(address).toHaveValue('')

  const [invitation] = mail.mails.filter(({ to }) => to.includes('dana@gmail.com'))
  expect(invitation?.subject).toMatch(/^Sam invited you/)
  const context = await browser.newContext({ viewport: phone })
  endings.push(() => context.close())
  const dana = await context.newPage()
  await enterDesk(dana, invitation?.text.match(/https?:\S+/)?.[0] ?? '', 'Dana')

  const exportButton = dana.getByRole('button', { name: 'Download as a spreadsheet' })
  const eraseButton = dana.getByRole('button', { name: 'Erase this lead…' })
  const screens = dana.getByRole('navigation', { name: 'Desk' }).getByRole('link')
  await expect(screens).toHaveText([/^Today/, 'All leads', 'Report', 'People'])
  await dana.getByRole('link', { name: 'All leads' }).click()
  await expect(dana.getByText('1 found, newest first')).toBeVisible()
  await expect(exportButton).toHaveCount(0)
  await dana.getByRole('link', { name: visitor.name }).click()
  await expect(dana.getByRole('heading', { name: 'History' })).toBeVisible()
  await expect(eraseButton).toHaveCount(0)
  await dana.getByRole('link', { name: 'People' }).click()
  await expect(row(dana, 'owner@example.com')).toContainText('Owner')
  await expect(row(dana, 'this device')).toBeVisible()
  const people = dana.getByRole('list').filter({ hasText: 'owner@example.com' })
  await expect(people.getByRole('listitem')).toHaveText([/^dana@gmail\.com/, /^owner@example\.com/])
  await expect(dana.getByRole('button', { name: /^(Add|Remove|Make|Sign out every)/ })).toHaveCount(
    0,
  )

  await row(sam, 'dana@gmail.com').getByRole('button', { name: 'Make owner' }).click()
  const dialog = sam.getByRole('dialog', { name: 'Make dana@gmail.com an owner?' })
  await checkAxe(sam, 'make an owner')
  await dialog.getByRole('button', { name: 'Make owner' }).click()
  await expect(row(sam, 'made a person an owner')).toContainText('dana@gmail.com')
  await checkAxe(sam, 'people as an owner')
  await expect(dana.getByLabel('Crew member’s email address')).toBeVisible()
  await dana.getByRole('link', { name: 'All leads' }).click()
  await expect(exportButton).toBeVisible()
  await dana.getByRole('link', { name: visitor.name }).click()
  await expect(eraseButton).toBeVisible()

  await row(sam, 'dana@gmail.com').getByRole('button', { name: 'Make crew member' }).click()
  await sam.getByRole('dialog').getByRole('button', { name: 'Make crew member' }).click()
  await expect(eraseButton).toHaveCount(0)

  await row(sam, 'dana@gmail.com').getByRole('button', { name: 'Remove' }).click()
  await sam.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(dana.getByLabel('Your email address')).toBeVisible()
  await expect(row(sam, 'removed a person')).toContainText('dana@gmail.com')
})
