import { fieldOutputs } from '#leads/field-outputs.ts'
import { fieldNames } from '#leads/fields.ts'
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
  for (const name of fieldNames)
    await expect(sam.getByLabel(fieldOutputs[name].label)).toHaveAttribute('name', name)
  await sam.getByLabel('Name').fill('Maria Lopez')
  await sam.reload()
  await expect(sam.getByLabel('Name')).toHaveValue('Maria Lopez')
  const phone = sam.getByLabel('Phone')
  const gotIt = sam.getByRole('button', button('I’m handling this'))
  await gotIt.click()
  // The message is directly below the field, because a phone's keyboard covers the buttons.
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
  await expect(sam.locator('.notice')).toContainText('Added ')
  await expect(sam.locator('.facts')).toContainText('Phone call')
  await expect(sam.locator('.events li').last()).toHaveText(/Added during a phone call$/)
  await expect(row(dana, 'Maria Lopez')).toContainText('Sam Hill is calling')
  await expect(row(dana, 'Maria Lopez')).toHaveCount(1)

  await dana.getByRole('link', { name: 'Add a lead' }).click()
  await dana.getByLabel('Email').fill('joe@example.com')
  await dana.getByRole('button', button('Someone should call back')).click()
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

test('one card has all requests of a number, and its buttons change all of them', async ({
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
  // The phone number, “Text,” and “I’m calling” share a row.
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

  await expect(page.getByRole('heading', { name: '2 to call' })).toBeVisible()
  const card = row(page, visitor.name)
  await expect(card).toHaveCount(1)
  await expect(card).toContainText('2 requests, 1 emergency')
  await card.getByRole('button', button('I’m calling')).click()
  await expect(card).toContainText(`You’re calling ${visitor.name}`)
  const notice = page.locator('.notice')
  await expect(notice).toContainText('Also recorded for 1 other request (')
  await notice.getByRole('button', button('Undo')).click()
  await expect(page.getByText('You’re calling')).toHaveCount(0)

  await card.getByRole('button', button('I’m calling')).click()
  await card.getByRole('button', button('Done')).click()
  await expect(notice).toContainText('Also recorded for 1 other request (')
  await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
  await notice.getByRole('button', button('Undo')).click()
  await card.getByRole('button', button('No answer')).click()
  await expect(page.getByRole('heading', { name: 'Call again' })).toBeVisible()
  await expect(page.getByText('You’re calling')).toHaveCount(0)

  await card.getByRole('link', { name: visitor.name }).click()
  const pane = page.locator('.lead-pane')
  await expect(pane.getByRole('heading', { name: '1 other request' })).toBeVisible()
  await pane.locator('.requests a').click()
  await expect(pane.locator('.requests')).toContainText('Emergency Service')
  const text = pane.getByRole('link', { name: `Text ${visitor.phone}` })
  await expect(text).not.toHaveAttribute('data-quiet')
  const [number, body = ''] = ((await text.getAttribute('href')) ?? '').split('?&body=')
  expect(number).toBe(`sms:${visitor.phone.replace(/\D/g, '')}`)
  const [firstName] = visitor.name.split(' ')
  expect(decodeURIComponent(body)).toMatch(
    new RegExp(`^Hi ${firstName}, this is Sam from .+ about your roof estimate\\.$`),
  )
  await text.click()
  await expect(pane.locator('.events')).toContainText(
    `Sam Hill started a text message to ${firstName}`,
  )
})

test('20 requests from one number are one card, and “Done” asks which if addresses differ', async ({
  sendLead,
  signIn,
}) => {
  const manager = { name: 'Pat Manager', phone: '(555) 765-4321' }
  for (let at = 1; at <= 20; at++) await sendLead({ ...manager, address: `${at} Elm St, Edina` })
  const page = await signIn('Sam Hill')
  await expect(page.getByRole('heading', { name: '1 to call' })).toBeVisible()
  const card = page.locator('.card.lead')
  await expect(card).toHaveCount(1)
  await expect(card).toContainText('20 requests')
  await expect(card.locator('.requests li')).toHaveText([
    /1 Elm St, Edina$/,
    /2 Elm St, Edina$/,
    /3 Elm St, Edina$/,
    'and 17 more',
  ])
  await card.getByRole('button', button('I’m calling')).click()
  const done = card.getByRole('button', button('Done'))
  await done.click()
  const which = card.getByRole('group', { name: 'Which request should be marked “Done”?' })
  await expect(which.getByRole('button')).toHaveCount(21)
  await checkAxe(page, 'which request')
  await which.getByRole('button', { name: /, 7 Elm St, Edina$/ }).click()
  await expect(page.locator('.notice')).toContainText('marked as done.')
  await expect(page.locator('.notice')).not.toContainText('Also recorded')
  await expect(card).toContainText('19 requests')
  await done.click()
  await which.getByRole('button', { name: 'All 19 requests' }).click()
  await expect(page.locator('.notice')).toContainText('Also recorded for 18 other requests')
  await expect(page.getByRole('heading', { name: 'All caught up' })).toBeVisible()
  await expect(page.getByText('On time today: 20 of 20')).toBeVisible()
})

test('the report links to the requests that nobody has called yet', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  await sendLead({ name: 'Old Lead' })
  const page = await signIn('Sam Hill')
  const legend = page.locator('.legend')
  await page.getByRole('link', { name: 'Report' }).click()
  await expect(page.getByText('Nothing to report yet.')).toBeVisible()
  await expect(legend).toHaveCount(0)
  site.runSql(`update leads set deadline_at = deadline_at - 3600000;
    update leads set received_at = received_at - 5184000000 where name = 'Old Lead'`)
  await sendLead({ name: 'New Lead' })
  await page.getByRole('link', { name: '7 days' }).click()
  await expect(legend).toBeVisible()
  await page.getByRole('link', { name: '1 not called yet' }).click()
  await expect(page.getByText('1 found, newest first')).toBeVisible()
  await expect(page.locator('.lead-name')).toHaveText([visitor.name])
  await page.getByLabel('Received').selectOption('Last 90 days')
  await expect(page.locator('.lead-name')).toHaveText([visitor.name, 'Old Lead'])
})
