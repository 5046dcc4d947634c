import { safeParse } from 'valibot'
import { leadSchema } from '#leads/lead.ts'
import { formCode, noValues, visitor } from './form.ts'
import {
  desktop,
  expect,
  expectAccessible,
  expectNoShift,
  phone as phoneScreen,
  test,
  watchShifts,
} from './test.ts'

test('shows a toast and an error, focuses the missing field, and sends nothing', async ({
  page,
  form,
}) => {
  await page.goto('/')
  const requests = await form.answerWith({ status: 200 })
  // Screen readers read the error with the field, so it must exist before the field gets the focus.
  await form.form.evaluate((form) =>
    form.addEventListener('focusin', ({ target }) => {
      const field = target as Element
      const description = document.getElementById(field.getAttribute('aria-describedby') ?? '')
      field.setAttribute('data-heard', description?.textContent ?? '')
    }),
  )
  const toastText = page.getByText('Please fill in all required fields', { exact: true })
  // Spaces count as empty. Browsers remove them from email fields.
  for (const [missing, value] of [
    ['email', ''],
    ['address', '   '],
  ] as const) {
    await form.fillIn({ ...visitor, [missing]: value })
    await form.button.click()
    await expect(toastText).toBeVisible()
    const field = form[missing]
    await expect(field).toBeFocused()
    await expect(field).toHaveAttribute('data-heard', /^Please enter your /)
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(field).toHaveAccessibleDescription(/^Please enter your /)
    await expect(page.locator('[aria-invalid]')).toHaveCount(1)
    const { [missing]: _, ...others } = visitor
    expect(await form.readValues()).toMatchObject(others)
  }
  expect(requests).toHaveLength(0)

  // The toast fits beside the form, or on a phone's screen, and can be closed.
  const toast = form.toast('incomplete')
  for (const width of [phoneScreen.width, 1024]) {
    await page.setViewportSize({ ...phoneScreen, width })
    await form.press('incomplete')
    // The toast stays open while the pointer is over it.
    await toast.hover()
    const { x: formX = 0 } = (await form.root.boundingBox()) ?? {}
    const end = width === phoneScreen.width ? width : formX
    await expect
      .poll(async () => {
        const { x = -1, width = end } = (await toast.boundingBox()) ?? {}
        return x >= 0 && x + width <= end
      })
      .toBe(true)
  }
  await page.getByRole('button', { name: /close/i }).click()
  await expect(toast).toHaveCount(0)
})

test('marks a field until it is filled in correctly', async ({ page, form }) => {
  await page.goto('/')
  const { name, email, phone, address } = form
  const requests = await form.answerWith({ status: 200 })
  await page.clock.install()
  // React shows the toast instead of native validation messages.
  await form.press('incomplete')
  const toast = form.toast('incomplete')
  await expect(page.locator('[aria-live=polite]').filter({ has: toast })).toHaveCount(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(20_000)
  await expect(toast).toHaveCount(0)
  await expect(name).toHaveAccessibleDescription('Please enter your name.')
  await expect(page.getByText('Please enter your address.')).toBeVisible()
  await name.fill('Jane')
  await expect(name).not.toHaveAttribute('aria-invalid')
  await expect(address).toHaveAttribute('aria-invalid', 'true')

  await form.press('incomplete')
  await form.fillIn({ ...visitor, email: 'jane@', phone: '5551234' })
  await form.button.click()
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription(/name@example\.com/)
  await expect(phone).toHaveAccessibleDescription(/including the area code/)
  // The toast is hidden, because no field is empty.
  await expect(toast).toBeHidden()
  await email.fill(visitor.email)
  await phone.press('Enter')
  await expect(page.getByRole('alert')).toHaveText(
    'Please check your phone number, including the area code.',
  )
  expect(requests).toHaveLength(0)
})

test('before React is ready, shows a message, marks the empty fields, and sends nothing', async ({
  page,
  form,
}) => {
  await page.route(formCode, () => {})
  const posts = form.watchPosts()
  const notice = page.locator('#estimate-incomplete')
  const { name, email, address, serviceType } = form
  await page.goto('/')
  for (const viewport of [desktop, phoneScreen]) {
    await page.setViewportSize(viewport)
    await form.type(noValues)
    await email.fill(visitor.email)
    await page.evaluate(watchShifts, false)
    await form.button.click()
    await expect(notice).toBeInViewport({ ratio: 1 })
    await expect(name).toBeFocused()
    await expect(name).toBeInViewport({ ratio: 1 })
    for (const field of [name, form.phone, address])
      await expect(field).toHaveAttribute('aria-invalid', 'true')
    for (const field of [email, serviceType])
      await expect(field).not.toHaveAttribute('aria-invalid')
    // The message covers neither the form nor the text above it, and nothing moves.
    const parts = [notice, form.form, page.locator('h1 + p')]
    const [message, card, sentence] = await Promise.all(parts.map((part) => part.boundingBox()))
    if (!message || !card || !sentence) throw new Error('A part of the page is not visible.')
    const isBetween =
      message.y >= sentence.y + sentence.height && message.y + message.height <= card.y
    expect(isBetween || message.x + message.width <= card.x).toBe(true)
    await expectNoShift(page)
    await name.fill(visitor.name)
    await expect(name).not.toHaveAttribute('aria-invalid')
    await expect(address).toHaveAttribute('aria-invalid')
    await expect(notice).toBeHidden()
  }

  await form.type({ ...visitor, address: '   ' })
  await form.button.click()
  await expect(notice).toBeInViewport()
  expect(await notice.evaluate((notice: HTMLElement) => notice.innerText)).toBe(
    'Please fill in all required fields',
  )
  await expect(address).toBeFocused()
  await expectAccessible(page, '.hero')
  expect(await form.readValues()).toMatchObject({ ...visitor, address: '   ' })
  expect(posts).toEqual([])

  // The browser reports invalid values.
  await form.type({ ...visitor, email: 'jane@' })
  await form.button.click()
  await expect(email).toBeFocused()
  await expect(notice).toBeHidden()
  expect(posts).toEqual([])

  // The browser accepts the same phone numbers as the server.
  for (const [phone, expected] of [
    ['(555) 123-4567', true],
    ['1.555.123.4567 ext. 12', true],
    ['+44 20 7946 0958', true],
    ['５５５-１２３-４５６７', true],
    ['555-1234', false],
    ['2 555 123 4567', false],
    ['(000) 000-0000 x1', false],
    ['+44 20 794', false],
    ['5'.repeat(19), false],
  ] as const) {
    await form.phone.fill(phone)
    const isValid = await form.phone.evaluate((field: HTMLInputElement) => field.validity.valid)
    expect([phone, isValid]).toEqual([phone, expected])
    expect([phone, safeParse(leadSchema, { ...visitor, phone }).success]).toEqual([phone, expected])
  }
})
