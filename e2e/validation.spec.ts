import type { Locator } from '@playwright/test'
import { safeParse } from 'valibot'
import { leadSchema } from '#leads/lead.ts'
import { form as words } from './content.ts'
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
  // The error must exist before the field receives focus, because screen readers read it together with the field.
  await form.form.evaluate((form) =>
    form.addEventListener('focusin', ({ target }) => {
      const field = target as Element
      const description = document.getElementById(field.getAttribute('aria-describedby') ?? '')
      field.setAttribute('data-heard', description?.textContent ?? '')
    }),
  )
  const toastText = page
    .getByRole('listitem')
    .getByText('Please fill in all required fields', { exact: true })
  // A field with only spaces counts as empty. Browsers remove spaces from email fields.
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

  // On a phone, the toast does not cover the form's heading at any scroll position.
  const toast = form.toast('incomplete')
  await form.fillIn(noValues)
  for (const lines of [0, 1, 2, 3, 4]) {
    await form.name.evaluate((field, offsetPx) => {
      scrollTo({ top: scrollY + field.getBoundingClientRect().top - offsetPx, behavior: 'instant' })
    }, lines * 30)
    await form.form.evaluate((form: HTMLFormElement) => form.requestSubmit())
    await expect(toast).toHaveCSS('opacity', '1')
    const message = await toast.boundingBox()
    const heading = await form.root.getByRole('heading').boundingBox()
    expect(heading?.y).toBeGreaterThanOrEqual((message?.y ?? 0) + (message?.height ?? 0))
  }

  // The toast fits beside the form or on a phone's screen, and it can be closed.
  for (const width of [phoneScreen.width, 1024]) {
    await page.setViewportSize({ ...phoneScreen, width })
    await form.press('incomplete')
    // Keep the toast open with the pointer over it.
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
  await expect(page.getByText('Please enter your property address.')).toBeVisible()
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

test('errors look the same before and after React is ready', async ({ page, form }) => {
  await page.route(formCode, () => {})
  const readLook = async (message: Locator) => {
    await expect(message).toHaveCSS('opacity', '1')
    // Use allSettled, because replacing an animation cancels it.
    await page.evaluate(() =>
      Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
    )
    const fields = await page.locator('.field').evaluateAll((fields) =>
      fields.map((field) => {
        const input = field.querySelector('[name]') as HTMLInputElement
        const error = field.querySelector<HTMLElement>('.field-error')
        const { borderColor, boxShadow, outline } = getComputedStyle(input)
        return [field.clientHeight, borderColor, boxShadow, outline, error?.innerText]
      }),
    )
    const { x, y, width } = (await message.boundingBox()) ?? {}
    const look = await message.evaluate((message) => {
      const { color, backgroundColor, borderColor, fontSize } = getComputedStyle(message)
      return { color, backgroundColor, borderColor, fontSize }
    })
    return { fields, look, x: Math.round(x ?? 0), y, width }
  }
  for (const viewport of [phoneScreen, desktop])
    for (const values of [noValues, { ...visitor, email: 'jane@', phone: '5551', address: '' }]) {
      await page.setViewportSize(viewport)
      await page.goto('/')
      await form.type(values)
      await form.button.click()
      const native = await readLook(page.locator('#estimate-notices p').first())
      await page.unroute(formCode)
      await page.goto('/')
      await form.fillIn(values)
      await form.button.click()
      expect(await readLook(form.toast('incomplete'))).toEqual(native)
      expect(JSON.stringify(native.fields)).toContain('Please ')
      await page.route(formCode, () => {})
    }
})

test('before React is ready, shows a message, marks the empty fields, and sends nothing', async ({
  page,
  form,
}) => {
  await page.route(formCode, () => {})
  const posts = form.watchPosts()
  const notice = page.locator('#estimate-notices').getByText(words.toasts.incomplete)
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
    // The message does not cover the focused field, and nothing moves.
    const [message, field] = await Promise.all([notice, name].map((part) => part.boundingBox()))
    if (!message || !field) throw new Error('A part of the page is not visible.')
    expect(message.y + message.height <= field.y || message.x + message.width <= field.x).toBe(true)
    await expectNoShift(page)
    // Test a focused field that was scrolled behind the header.
    await name.evaluate((field) => {
      scrollTo({ top: scrollY + field.getBoundingClientRect().top - 10, behavior: 'instant' })
    })
    await form.form.evaluate((form: HTMLFormElement) => form.requestSubmit())
    const header = await page.locator('.site-header').boundingBox()
    expect((await name.boundingBox())?.y).toBeGreaterThanOrEqual(header?.height ?? 999)
    await name.fill(visitor.name)
    await expect(name).not.toHaveAttribute('aria-invalid')
    await expect(address).toHaveAttribute('aria-invalid')
    await expect(notice).toBeHidden()
  }

  await form.type({ ...visitor, address: '   ' })
  await form.button.click()
  await expect(notice).toBeInViewport()
  await expect(notice).toHaveText('Please fill in all required fields')
  await expect(address).toBeFocused()
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expectAccessible(page)
  expect(await form.readValues()).toMatchObject({ ...visitor, address: '   ' })
  expect(posts).toEqual([])

  await form.type({ ...visitor, email: 'jane@' })
  await form.button.click()
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription(/name@example\.com/)
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
