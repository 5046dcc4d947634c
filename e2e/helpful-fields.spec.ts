import type { Locator, Page } from '@playwright/test'
import { form as words } from './content.ts'
import { visitor } from './form.ts'
import { expect, test } from './test.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/')
})

const findCaret = (field: Locator) =>
  field.evaluate((field: HTMLInputElement) => field.selectionStart)

async function pressKey(page: Page, key: string, times: number) {
  for (let press = 0; press < times; press++) await page.keyboard.press(key)
}

// format-fields.test.ts and lead.test.ts test more phone numbers and names.
test('formats the name and the phone number while typing without moving the caret', async ({
  page,
  form,
}) => {
  const { name, phone } = form
  await name.focus()
  await form.expectHydrated()
  await name.pressSequentially('jOHN mcDONALD')
  await expect(name).toHaveValue('John Mcdonald')
  await name.fill('')
  await name.pressSequentially('jane doe')
  await pressKey(page, 'ArrowLeft', 6)
  await page.keyboard.type('XY')
  await expect(name).toHaveValue('Jaxyne Doe')
  expect(await findCaret(name)).toBe(4)
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await expect(name).toHaveValue('Axyne Doe')
  expect(await findCaret(name)).toBe(0)

  await phone.pressSequentially('5551234567')
  await expect(phone).toHaveValue('(555) 123-4567')
  await pressKey(page, 'ArrowLeft', 6)
  await page.keyboard.press('Backspace')
  await expect(phone).toHaveValue('(555) 13-4567')
  await page.keyboard.type('9')
  await expect(phone).toHaveValue('(555) 193-4567')
  expect(await findCaret(phone)).toBe(8)
  // After everything is deleted, no parenthesis comes back.
  await page.keyboard.press('End')
  await pressKey(page, 'Backspace', 14)
  await expect(phone).toHaveValue('')

  // Text is not formatted while an input method composes.
  await name.fill('')
  const session = await page.context().newCDPSession(page)
  for (const text of ['ß', 'nIHON']) {
    const selection = { selectionStart: text.length, selectionEnd: text.length }
    await session.send('Input.imeSetComposition', { text, ...selection })
  }
  await expect(name).toHaveValue('nIHON')
  await session.send('Input.insertText', { text: 'nIHON go' })
  await expect(name).toHaveValue('Nihon Go')
})

// suggest-email.test.ts tests more typos.
test('suggests a correction for a typo in the email address without blocking the submit', async ({
  page,
  form,
}) => {
  const requests = await form.answerWith({ status: 200 })
  const { email, phone } = form
  const offer = page.getByRole('status').getByRole('button', { name: 'jane@gmail.com' })
  await email.focus()
  await form.expectHydrated()
  await email.fill('jane@gmial.com')
  await phone.focus()
  await expect(offer).toBeVisible()
  // The suggestion disappears when the email address changes.
  await email.press('Backspace')
  await expect(offer).toHaveCount(0)
  await email.fill('jane@gmial.com')
  await phone.focus()
  await offer.click()
  await expect(email).toHaveValue('jane@gmail.com')
  await expect(email).toBeFocused()
  await expect(offer).toHaveCount(0)

  await form.fillIn()
  await email.fill('jane@gmial.com')
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await form.button.scrollIntoViewIfNeeded()
  const box = await form.button.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 8)
  await page.mouse.down()
  // This is how long a tap usually takes.
  await page.clock.runFor(120)
  await page.mouse.up()
  await expect.poll(() => requests.length).toBe(1)
  expect(requests[0]?.postDataJSON().email).toBe('jane@gmial.com')
  // After a success has cleared the form, the suggestion does not appear.
  await expect(email).toHaveValue('')
  await page.clock.runFor(1_000)
  await expect(offer).toHaveCount(0)
})

test('detects bots with a field that people do not see', async ({ page, form }) => {
  const requests = await form.answerWith({ status: 200 })
  const readVisit = (index: number) =>
    Object.fromEntries(new URLSearchParams(requests[index]?.headers()['x-lead-visit']))
  const honeypot = page.locator('#reference')
  await expect(honeypot).not.toBeInViewport()
  await expect(honeypot).toHaveAttribute('autocomplete', 'off')
  expect(await form.root.ariaSnapshot()).not.toContain(words.trapLabel)
  await form.last.focus()
  await page.keyboard.press('Tab')
  await expect(form.button).toBeFocused()

  await form.fillIn()
  await form.press()
  const { reference, elapsedMs, consent } = readVisit(0)
  expect(reference).toBe('')
  expect(Number(elapsedMs)).toBeGreaterThan(0)
  expect(consent).toBe(words.consent.version)

  await form.fillIn()
  await honeypot.evaluate((field: HTMLInputElement) => {
    field.value = 'http://spam.example '.repeat(2000)
  })
  await form.button.click()
  await expect.poll(() => requests.length).toBe(2)
  expect(requests[1]?.postDataJSON()).toEqual(visitor)
  // The honeypot's text is replaced with one word, because headers have a size limit and the lead must arrive.
  expect(readVisit(1).reference).toBe('filled')

  // The page omits the elapsed time, because a person may submit a restored draft immediately.
  await expect(form.name).toHaveValue('')
  await form.fillIn()
  await page.reload()
  await form.button.focus()
  await form.expectHydrated()
  await form.button.click()
  await expect.poll(() => requests.length).toBe(3)
  expect(readVisit(2)).not.toHaveProperty('elapsedMs')
})
