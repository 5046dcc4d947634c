import { form as words } from '../site/content.ts'
import { answerWith, fields, fillIn, submitButton, toast, visitor } from './form.ts'
import { expect, test } from './test.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/')
  await page.mouse.move(5, 5)
  await page.waitForLoadState('networkidle')
})

test.describe('the phone', () => {
  test('is formatted as typed', async ({ page }) => {
    await fields(page).phone.pressSequentially('5551234567')
    await expect(fields(page).phone).toHaveValue('(555) 123-4567')
  })

  test('can be corrected in the middle, the caret stays where it belongs', async ({ page }) => {
    const { phone } = fields(page)
    await phone.pressSequentially('5551234567')
    for (let press = 0; press < 6; press++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Backspace')
    await expect(phone).toHaveValue('(555) 13-4567')
    await page.keyboard.type('9')
    await expect(phone).toHaveValue('(555) 193-4567')
    expect(await phone.evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(8)
  })

  test('can be deleted to nothing without brackets coming back', async ({ page }) => {
    const { phone } = fields(page)
    await phone.pressSequentially('5551234567')
    for (let press = 0; press < 14; press++) await page.keyboard.press('Backspace')
    await expect(phone).toHaveValue('')
  })

  test('takes a pasted +1 number, and leaves another country’s alone', async ({ page }) => {
    const { phone } = fields(page)
    await phone.focus()
    await page.keyboard.insertText('+1 555-123-4567')
    await expect(phone).toHaveValue('(555) 123-4567')
    await phone.fill('+44 20 7946 0958')
    await phone.blur()
    await expect(phone).toHaveValue('+44 20 7946 0958')
  })
})

test.describe('a slip in the e-mail address', () => {
  test('is pointed out, and mended with one press', async ({ page }) => {
    const { email, phone } = fields(page)
    await email.fill('jane@gmial.com')
    await phone.focus()
    const offer = page.getByRole('status').getByRole('button', { name: 'jane@gmail.com' })
    await expect(offer).toBeVisible()
    await offer.click()
    await expect(email).toHaveValue('jane@gmail.com')
    await expect(email).toBeFocused()
    await expect(offer).toHaveCount(0)
  })

  test('does not move the button away under the press that found it', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await fields(page).email.fill('jane@gmial.com')
    const box = await submitButton(page).boundingBox()
    await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 8)
    await page.mouse.down()
    await page.waitForTimeout(120)
    await page.mouse.up()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests).toHaveLength(1)
  })

  test('is never forced', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page, { ...visitor, email: 'jane@gmial.com' })
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests[0]?.postDataJSON().email).toBe('jane@gmial.com')
  })
})

test('autofilled values are sent, though no key was pressed', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  await page.locator('#estimate form').evaluate((form: HTMLFormElement, values) => {
    for (const [name, value] of Object.entries(values)) {
      const field = form.elements.namedItem(name) as HTMLInputElement
      field.value = value
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }
  }, visitor)
  await submitButton(page).click()
  await expect(toast(page, words.toasts.received)).toBeVisible()
  expect(requests[0]?.postDataJSON()).toEqual(visitor)
})

test.describe('robots', () => {
  const detailsOf = (requests: { headers(): Record<string, string> }[]) =>
    Object.fromEntries(new URLSearchParams(requests[0]?.headers()['x-lead-details']))

  test('find a field that people neither see, reach nor hear of', async ({ page }) => {
    const trap = page.locator('#reference')
    await expect(trap).not.toBeInViewport()
    expect(await page.locator('#estimate').ariaSnapshot()).not.toContain(words.trapLabel)
    await fields(page).serviceType.focus()
    await page.keyboard.press('Tab')
    await expect(submitButton(page)).toBeFocused()
    await expect(trap).toHaveAttribute('autocomplete', 'off')
  })

  test('are not taken for somebody whose draft was kept', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await page.reload()
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(detailsOf(requests)).not.toHaveProperty('elapsedMs')
  })

  test('give themselves away beside the five fields, not among them', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await page.locator('#reference').evaluate((trap: HTMLInputElement) => {
      trap.value = 'http://spam.example '.repeat(2000)
    })
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests[0]?.postDataJSON()).toEqual(visitor)
    // A word, not what was typed: a header has its limits, and the lead must get through.
    expect(detailsOf(requests).reference).toBe('filled')
  })

  test('are not what an ordinary visitor looks like', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    const { reference, elapsedMs, consent } = detailsOf(requests)
    expect(reference).toBe('')
    expect(Number(elapsedMs)).toBeGreaterThan(0)
    expect(consent).toBe(words.consent.version)
  })
})

test('the consent line stands under the button and says what the number is for', async ({
  page,
}) => {
  const line = page.getByText(words.consent.text)
  await expect(line).toBeVisible()
  const [button, consent] = await Promise.all([
    submitButton(page).boundingBox(),
    line.boundingBox(),
  ])
  expect(consent?.y).toBeGreaterThan((button?.y ?? 0) + (button?.height ?? 0))
  expect(words.consent.text).toMatch(/your number/)
})
