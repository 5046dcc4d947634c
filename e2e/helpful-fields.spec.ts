import type { Locator, Page } from '@playwright/test'
import { form as words } from '#site/content.ts'
import { answerWith, expectLive, fields, fillIn, press, submitButton, visitor } from './form.ts'
import { expect, test } from './test.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/')
})

const findCaret = (field: Locator) =>
  field.evaluate((field: HTMLInputElement) => field.selectionStart)

async function pressKey(page: Page, key: string, times: number) {
  for (let press = 0; press < times; press++) await page.keyboard.press(key)
}

// What becomes of which number or name: format-phone.test.ts, field-input.test.ts.
test('name and phone are formatted as typed, and the caret stays', async ({ page }) => {
  const { name, phone } = fields(page)
  await name.focus()
  await expectLive(page)
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
  // Deleted to nothing, no bracket comes back.
  await page.keyboard.press('End')
  await pressKey(page, 'Backspace', 14)
  await expect(phone).toHaveValue('')
})

test('an input method is left alone until it is done', async ({ page }) => {
  const { name } = fields(page)
  await name.focus()
  await expectLive(page)
  const session = await page.context().newCDPSession(page)
  const compose = (text: string) =>
    session.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    })
  await compose('ß')
  await compose('nIHON')
  await expect(name).toHaveValue('nIHON')
  await session.send('Input.insertText', { text: 'nIHON go' })
  await expect(name).toHaveValue('Nihon Go')
})

test.describe('a slip in the e-mail address', () => {
  // Which slips: suggest-email.test.ts.
  test('is pointed out, and corrected with one press', async ({ page }) => {
    const { email, phone } = fields(page)
    await email.focus()
    await expectLive(page)
    await email.fill('jane@gmial.com')
    await phone.focus()
    const offer = page.getByRole('status').getByRole('button', { name: 'jane@gmail.com' })
    await expect(offer).toBeVisible()
    await offer.click()
    await expect(email).toHaveValue('jane@gmail.com')
    await expect(email).toBeFocused()
    await expect(offer).toHaveCount(0)
  })

  test('is never forced, nor moves the button under a press', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await fields(page).email.fill('jane@gmial.com')
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    const box = await submitButton(page).boundingBox()
    await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 8)
    await page.mouse.down()
    // As long as a finger stays on a button.
    await page.clock.runFor(120)
    await page.mouse.up()
    await expect.poll(() => requests.length).toBe(1)
    expect(requests[0]?.postDataJSON().email).toBe('jane@gmial.com')
  })
})

test('robots give themselves away in a field that people do not meet', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  const readDetails = (index: number) =>
    Object.fromEntries(new URLSearchParams(requests[index]?.headers()['x-lead-details']))
  const trap = page.locator('#reference')
  await expect(trap).not.toBeInViewport()
  await expect(trap).toHaveAttribute('autocomplete', 'off')
  expect(await page.locator('#estimate').ariaSnapshot()).not.toContain(words.trapLabel)
  await fields(page).serviceType.focus()
  await page.keyboard.press('Tab')
  await expect(submitButton(page)).toBeFocused()

  await fillIn(page)
  await press(page)
  const { reference, elapsedMs, consent } = readDetails(0)
  expect(reference).toBe('')
  expect(Number(elapsedMs)).toBeGreaterThan(0)
  expect(consent).toBe(words.consent.version)

  await fillIn(page)
  await trap.evaluate((trap: HTMLInputElement) => {
    trap.value = 'http://spam.example '.repeat(2000)
  })
  await submitButton(page).click()
  await expect.poll(() => requests.length).toBe(2)
  expect(requests[1]?.postDataJSON()).toEqual(visitor)
  // A word, not what was typed: a header has its limits, and the lead must get through.
  expect(readDetails(1).reference).toBe('filled')

  // Somebody whose draft was kept may press at once.
  await expect(fields(page).name).toHaveValue('')
  await fillIn(page)
  await page.reload()
  await submitButton(page).click()
  await expect.poll(() => requests.length).toBe(3)
  expect(readDetails(2)).not.toHaveProperty('elapsedMs')
})
