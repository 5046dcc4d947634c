import { visitHeader } from '#leads/lead.ts'
import { postLead } from '#testing/app.ts'
import { makeStranger } from '#testing/saved-leads.ts'
import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect } from './test.ts'

const button = (name: string) => ({ name, exact: true })

test('a lead is added during a call, also without a connection', async ({ signIn }) => {
  const sam = await signIn('Sam Hill')
  const dana = await signIn('Dana')
  await sam.getByRole('link', { name: 'Add a lead' }).click()
  await sam.getByLabel('Name').fill('Maria Lopez')
  await sam.reload()
  await expect(sam.getByLabel('Name')).toHaveValue('Maria Lopez')
  const phone = sam.getByLabel('Phone')
  const gotIt = sam.getByRole('button', button('I’ve got it'))
  await gotIt.click()
  // Directly below the field, because the keyboard of a phone hides the buttons.
  const problem = sam.locator('label:has([name="phone"]) + [role="alert"]')
  await expect(problem).toHaveText('Enter a phone number or an email address.')
  await phone.fill('612-555-ROOF')
  await gotIt.click()
  await expect(problem).toHaveText(/Use digits, not letters\.$/)
  await expect(phone).toBeFocused()
  await expect(phone).toHaveAccessibleDescription(/Use digits, not letters\.$/)
  await checkAxe(sam, 'add a lead')

  await phone.fill('612-555-0199')
  await sam.context().setOffline(true)
  await gotIt.click()
  await expect(sam.getByText('Not saved yet.')).toBeVisible()
  await sam.context().setOffline(false)
  await expect(sam.getByRole('heading', { name: 'Maria Lopez' })).toBeVisible()
  await expect(sam.locator('.notice')).toContainText('added.')
  await expect(sam.locator('.facts')).toContainText('Phone call')
  await expect(sam.locator('.events li').last()).toHaveText(/Added during a phone call$/)
  await expect(row(dana, 'Maria Lopez')).toContainText('Sam Hill is calling')
  await expect(row(dana, 'Maria Lopez')).toHaveCount(1)

  await dana.getByRole('link', { name: 'Add a lead' }).click()
  await dana.getByLabel('Email').fill('joe@example.com')
  await dana.getByRole('button', button('Somebody should call back')).click()
  await expect(dana.getByRole('heading', { name: 'joe@example.com' })).toBeVisible()
  const dial = dana.locator('a[href^="tel:"], a[href^="sms:"]')
  await expect(dial).toHaveCount(0)
  await dana.getByRole('link', { name: 'Today' }).first().click()
  const lead = row(dana, 'joe@example.com')
  await expect(lead).toContainText('min left')
  await expect(dial).toHaveCount(0)
  await expect(lead.getByRole('link', { name: 'Email joe@example.com' })).toHaveAttribute(
    'href',
    'mailto:joe@example.com',
  )
})

test('one call ends both countdowns of a homeowner, Undo takes back both, and a text follows', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  await sendLead({ name: 'John Doe' })
  await sendLead({ serviceType: 'emergency' })
  const bot = { ...visitor, name: 'Bot', ...makeStranger() }
  await postLead(site.url, bot, { [visitHeader]: 'elapsedMs=1' })
  const page = await signIn('Sam Hill')
  // The number, the text, and “I’m calling” share a row.
  await expect(row(page, 'John Doe')).toBeVisible()
  for (const width of [360, 390]) {
    await page.setViewportSize({ width, height: 740 })
    const tops = await row(page, 'John Doe')
      .locator('.actions > *')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    expect(tops).toHaveLength(3)
    expect(new Set(tops).size).toBe(1)
  }
  await page.getByText('Possible spam: 1').click()
  await expect(row(page, 'Bot').getByRole('link', { name: /^Call/ })).toBeVisible()
  await expect(row(page, 'Bot').getByRole('link', { name: /^Text/ })).toHaveCount(0)

  const both = row(page, visitor.name)
  await expect(both).toHaveCount(2)
  await expect(both.first()).toContainText(/Also asked (just now|\d+ min ago)/)
  await expect(row(page, 'John Doe')).not.toContainText('Also asked')
  await both.first().getByRole('button', button('I’m calling')).click()
  await expect(both.first()).toContainText(`You’re calling ${visitor.name}`)
  await expect(both.nth(1)).toContainText(`You’re calling ${visitor.name}`)
  await page.locator('.notice').getByRole('button', button('Undo')).click()
  await expect(page.getByText('You’re calling')).toHaveCount(0)

  await both.first().getByRole('button', button('I’m calling')).click()
  await both.first().getByRole('button', button('No answer')).click()
  await expect(page.getByRole('heading', { name: 'Call again' })).toBeVisible()
  await expect(page.getByText('You’re calling')).toHaveCount(0)

  await both.first().locator('.also-asked a').click()
  const pane = page.locator('.lead-pane')
  const text = pane.getByRole('link', { name: `Text ${visitor.phone}` })
  await expect(text).not.toHaveAttribute('data-quiet')
  const [number, body = ''] = ((await text.getAttribute('href')) ?? '').split('?&body=')
  expect(number).toBe(`sms:${visitor.phone.replace(/\D/g, '')}`)
  const [firstName] = visitor.name.split(' ')
  expect(decodeURIComponent(body)).toMatch(
    new RegExp(`^Hi ${firstName}, this is Sam from .+ about your roof estimate\\.$`),
  )
  await text.click()
  await expect(pane.locator('.events')).toContainText(`Sam Hill opened a text to ${firstName}`)
})
