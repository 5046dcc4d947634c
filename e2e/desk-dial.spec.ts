import type { BrowserContextOptions, Page } from '@playwright/test'
import { hourMs } from '#leads/time-units.ts'
import { checkAxe, row, test } from './desk.ts'
import { visitor } from './form.ts'
import { expect, phone } from './test.ts'

const button = (name: string) => ({ name, exact: true })
const touch = { viewport: phone, hasTouch: true }
const question = `Did you reach ${visitor.name.split(' ')[0]}?`

type SignIn = (person: string, options: BrowserContextOptions) => Promise<Page>

/** Opens the desk and prevents its links from dialing, because Chromium cannot dial. */
async function open(signIn: SignIn, person: string, options: BrowserContextOptions = touch) {
  const page = await signIn(person, options)
  await page.addInitScript(() =>
    document.addEventListener('click', (event) => {
      if ((event.target as Element).closest('[href^="tel:"]')) event.preventDefault()
    }),
  )
  await page.reload()
  return page
}

const tapNumber = (page: Page) =>
  row(page, visitor.name)
    .getByRole('link', { name: `Call ${visitor.phone}` })
    .tap()

/** Returns a list that collects the kind of each press that the page sends. */
function listPresses(page: Page): string[] {
  const kinds: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/events')) kinds.push(request.postDataJSON().kind)
  })
  return kinds
}

async function addNote(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Note' }).fill(text)
  await page.getByRole('button', button('Add note')).click()
  await expect(page.locator('.notice')).toContainText('note added.')
}

/** Delays the requests for presses until the returned function is called. */
async function holdPresses(...pages: Page[]) {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const page of pages)
    await page.route('**/events', async (route) => {
      await promise
      await route.continue()
    })
  return resolve
}

test('a tap on the number records the call, and the card asks for its result', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  await sendLead({ name: 'John Doe' })
  const sam = await open(signIn, 'Sam')
  const dana = await open(signIn, 'Dana')
  await expect(sam.getByRole('heading', { name: '2 to call' })).toBeVisible()
  const presses = listPresses(sam)
  await tapNumber(sam)
  await expect(row(dana, visitor.name)).toContainText('Sam is calling')
  const card = sam.locator('.card.lead').first()
  await expect(card).toContainText(question)
  await expect(card.getByRole('textbox', { name: 'Note' })).toBeInViewport()
  await checkAxe(sam, 'the question after a call')

  // While someone is calling, a tap on the number only dials.
  await tapNumber(sam)
  await card.getByRole('button', button('I didn’t call')).click()
  await expect(sam.locator('.notice')).toContainText('Undid “I’m calling.” Nobody has called yet.')
  await expect(sam.getByRole('heading', { name: '2 to call' })).toBeVisible()
  await expect(row(dana, visitor.name)).toContainText('min left')

  await tapNumber(sam)
  await card.getByRole('button', button('No answer')).click()
  await expect(sam.getByRole('heading', { name: 'Call again' })).toBeVisible()
  await row(sam, visitor.name).getByRole('link', { name: visitor.name }).click()
  const history = sam.locator('.events li')
  await expect(history).toHaveCount(5)
  await expect(history.first()).toContainText('Sam called, no answer')

  // A tap on a closed lead's number only dials, too.
  const pane = sam.locator('.lead-pane')
  await pane.getByRole('button', button('Done')).click()
  await expect(pane.locator('.lead-head')).toContainText('Done')
  await pane.getByRole('link', { name: `Call ${visitor.phone}` }).tap()
  await addNote(sam, 'Roof is fine')
  expect(presses).toEqual(['called', 'undone', 'called', 'no-answer', 'done', 'note'])
})

test('a second request during a call shows who is calling, and the number then only dials', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  const sam = await open(signIn, 'Sam')
  const dana = await open(signIn, 'Dana')
  await tapNumber(sam)
  await expect(sam.getByText(question)).toBeVisible()
  await sendLead({ serviceType: 'emergency' })
  const samsCard = row(sam, visitor.name)
  await expect(samsCard).toContainText('2 requests, 1 emergency')
  await expect(samsCard).toContainText('You’re calling')
  await expect(samsCard).toContainText(question)
  await expect(samsCard).toHaveAttribute('data-mood', 'urgent')
  await checkAxe(sam, 'a call with an emergency')

  const danasCard = row(dana, visitor.name)
  await expect(danasCard).toContainText(/Sam is calling.*Emergency.*\d:\d\d left/)
  await expect(danasCard).not.toContainText('Call now')
  await expect(danasCard.getByRole('button', button('I’m calling'))).toHaveCount(0)
  const number = danasCard.getByRole('link', { name: `Call ${visitor.phone}` })
  await expect(number).toHaveAttribute('data-quiet')
  await checkAxe(dana, 'a card that someone else is calling')
  const presses = listPresses(dana)
  await number.tap()
  await danasCard.getByRole('link', { name: visitor.name }).click()
  const danasLead = dana.locator('.lead-pane')
  await expect(danasLead.locator('.lead-head')).toContainText('Sam is calling')
  await expect(danasLead).not.toContainText(question)
  await danasLead.getByRole('link', { name: `Call ${visitor.phone}` }).tap()
  await addNote(dana, 'Water comes in')
  expect(presses).toEqual(['note'])

  // The card shows the notes of all its requests.
  await expect(samsCard).toContainText('Dana: Water comes in')
  await samsCard.getByRole('link', { name: visitor.name }).click()
  const samsLead = sam.locator('.lead-pane')
  await samsLead.locator('.requests a').click()
  await expect(samsLead).toContainText('1 other request')
  await expect(samsLead.locator('.lead-head')).toContainText('You’re calling')
  await expect(samsLead).toContainText(question)
  await samsLead.getByRole('button', button('I didn’t call')).click()
  await expect(sam.locator('.notice')).toContainText('Undid “I’m calling.”')
  await expect(samsLead).not.toContainText(question)
  await expect(danasLead.locator('.lead-head')).not.toContainText('Sam is calling')
})

test('“Call” in a notification dials, and records the call on a phone', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  const computer = await signIn('Dana', { viewport: { width: 1280, height: 800 } })
  const phone = await open(signIn, 'Sam')
  const link = row(phone, visitor.name).getByRole('link', { name: visitor.name })
  const route = `${site.deskUrl}/${await link.getAttribute('href')}`
  for (const page of [computer, phone]) {
    await page.goto(`${route}/call`)
    // The URL no longer contains /call, so that returning to the page does not dial again.
    await expect(page).toHaveURL(route)
    await expect(page.locator('.events')).toBeVisible()
  }
  await expect(phone.locator('.lead-pane')).toContainText(question)
  await expect(computer.locator('.lead-head')).toContainText('Sam is calling')
  await expect(computer.locator('.events li')).toHaveCount(2)
})

test('on a computer, the number only dials', async ({ sendLead, signIn }) => {
  await sendLead()
  const page = await open(signIn, 'Sam', { viewport: { width: 1280, height: 800 } })
  const lead = page.locator('.lead-pane')
  await lead.getByRole('link', { name: `Call ${visitor.phone}` }).click()
  await lead.getByRole('button', button('I’m calling')).click()
  await expect(page.getByText(question)).toBeVisible()
  await page.getByRole('link', { name: visitor.name }).click()
  await expect(page.locator('.events li')).toHaveCount(2)
})

test('a tap survives the end of the page, and two people who dial at the same time see who was first', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  const sam = await open(signIn, 'Sam')
  const dana = await open(signIn, 'Dana')
  await sam.route('**/events', (route) => route.abort())
  await tapNumber(sam)
  await expect(row(sam, visitor.name)).toContainText('Not sent yet.')
  await sam.unroute('**/events')
  await sam.reload()
  await expect(sam.getByText(question)).toBeVisible()
  await expect(row(dana, visitor.name)).toContainText('Sam is calling')

  await sam.getByRole('button', button('I didn’t call')).click()
  await expect(row(dana, visitor.name)).toContainText('min left')
  const release = await holdPresses(sam, dana)
  await Promise.all([tapNumber(sam), tapNumber(dana)])
  release()
  const [isSams, isDanas] = await Promise.all(
    [sam, dana].map(async (page) => {
      await expect(row(page, visitor.name)).toContainText(/You’re calling|(Sam|Dana) is calling/)
      return page.getByText(question).isVisible()
    }),
  )
  expect(isSams).not.toBe(isDanas)
  await expect((isSams ? dana : sam).locator('.notice')).toContainText(
    `${isSams ? 'Sam' : 'Dana'} called`,
  )
})

test('a tap that could not be sent for an hour is not recorded, and the desk says so', async ({
  sendLead,
  signIn,
}) => {
  await sendLead()
  const page = await open(signIn, 'Sam')
  await page.route('**/events', (route) => route.abort())
  await tapNumber(page)
  await expect(row(page, visitor.name)).toContainText('Not sent yet.')
  await page.evaluate((age) => {
    const [call] = JSON.parse(localStorage.getItem('dialed') ?? '[]')
    localStorage.setItem('dialed', JSON.stringify([{ ...call, at: call.at - age }]))
  }, hourMs)
  await page.unroute('**/events')
  await page.reload()
  await expect(page.locator('.notice')).toContainText(
    /Jane Doe.*: This call wasn’t recorded, because .* Enter its result now\./,
  )
  await expect(row(page, visitor.name)).toContainText('min left')
  expect(await page.evaluate(() => localStorage.getItem('dialed'))).toBe('[]')
})

test('a tap that arrives late keeps a colleague’s plan, and one on an erased lead says so', async ({
  site,
  sendLead,
  signIn,
}) => {
  await sendLead()
  const sam = await open(signIn, 'Sam')
  const dana = await open(signIn, 'Dana')
  const release = await holdPresses(sam)
  await tapNumber(sam)
  await tapNumber(dana)
  await dana.getByRole('button', button('No answer')).click()
  const plan = row(dana, visitor.name)
  await expect(plan).toContainText(/Call again/)
  release()
  await expect(sam.locator('.notice')).toContainText('Dana called')
  await expect(row(sam, visitor.name)).toContainText('No answer (1 try)')
  await expect(plan).toContainText('No answer (1 try)')

  site.runSql('update leads set call_again_at = received_at')
  await expect(sam.getByRole('heading', { name: '1 to call' })).toBeVisible()
  await sam.route('**/api/today', (route) => route.abort())
  site.runSql('delete from deliveries; delete from lead_events; delete from leads')
  await tapNumber(sam)
  await expect(sam.locator('.notice')).toContainText('This lead was erased.')
})
