import { company, form as words } from '#site/content.ts'
import {
  answerWith,
  expectLive,
  fields,
  fillIn,
  functionUrl,
  keyOf,
  press,
  readDraft,
  readValues,
  runClockUntil,
  submitButton,
  toast,
  visitor,
} from './form.ts'
import { expect, phone as phoneScreen, test } from './test.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/')
})

const required = ['name', 'email', 'phone', 'address'] as const
const empty = { name: '', email: '', phone: '', address: '', serviceType: '' }

test('the form has the five fields, as the specification names them', async ({ page }) => {
  const { name, email, phone, address, serviceType } = fields(page)
  for (const [field, type, placeholder, autocomplete] of [
    [name, 'text', /^\w+ \w+$/, 'name'],
    [email, 'email', /^\S+@\S+$/, 'email'],
    [phone, 'tel', '(555) 123-4567', 'tel'],
    [address, 'text', '123 Main St, City, State, ZIP', 'street-address'],
  ] as const) {
    for (const [attribute, value] of Object.entries({ type, placeholder, autocomplete }))
      await expect(field).toHaveAttribute(attribute, value)
    await expect(field).toHaveAttribute('required')
  }
  await expect(serviceType).not.toHaveAttribute('required')
  expect(await readValues(page)).toEqual(empty)
  const options = await serviceType
    .locator('option')
    .evaluateAll((options) =>
      options.map((option) => `${(option as HTMLOptionElement).value}: ${option.textContent}`),
    )
  expect(options.slice(1)).toEqual([
    'new-roof: New Roof Installation',
    'roof-repair: Roof Repair',
    'roof-replacement: Roof Replacement',
    'roof-inspection: Roof Inspection',
    'emergency: Emergency Service',
    'other: Other',
  ])
  await expect(submitButton(page)).toHaveText('Request Free Estimate →')
  // Below 16 px iOS zooms in on a field.
  const sizes = await page
    .locator('#estimate .field :is(input, select)')
    .evaluateAll((fields) =>
      fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)),
    )
  expect(sizes).toHaveLength(5)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16)

  // What the number is for stands under the button.
  expect(words.consent.text).toMatch(/your number/)
  const consent = await page.getByText(words.consent.text).boundingBox()
  const button = await submitButton(page).boundingBox()
  expect(consent?.y).toBeGreaterThan((button?.y ?? 0) + (button?.height ?? 0))
})

test('a success: five fields go out once, and the form starts over', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  // The routes are asked from the last to the first.
  await page.route(functionUrl, async (route) => {
    await answered
    await route.fallback()
  })
  await fillIn(page)
  expect(await readDraft(page)).toContain(visitor.email)
  await page.locator('#estimate form').evaluate((form: HTMLFormElement) => {
    const button = form.querySelector('button') as HTMLButtonElement
    for (let press = 0; press < 5; press++) button.click()
  })
  // While it sends, nothing can be changed.
  await expect(submitButton(page)).toHaveText('Submitting...')
  await expect(submitButton(page)).toBeDisabled()
  await fields(page).phone.pressSequentially('9')
  await expect(fields(page).phone).toHaveValue(visitor.phone)
  answer()
  const said = "Estimate request received! We'll contact you within 10 minutes."
  await expect(page.getByText(said, { exact: true })).toBeVisible()
  // The toast's style sheet came by script, and the policy lets it count.
  await expect(toast(page, said)).toHaveCSS('position', 'absolute')
  expect(await readValues(page)).toEqual(empty)
  expect(await readDraft(page)).toBeNull()
  await expect(submitButton(page)).toHaveText('Request Free Estimate →')
  await expect(submitButton(page)).toBeEnabled()
  await expect(fields(page).phone).toBeEditable()

  expect(requests).toHaveLength(1)
  const [request] = requests
  expect(request?.method()).toBe('POST')
  expect(request?.postDataJSON()).toEqual(visitor)
  const headers = (await request?.allHeaders()) ?? {}
  expect(headers).toMatchObject({ apikey: 'public-anon-key', 'content-type': 'application/json' })
  expect(headers['x-client-info']).toContain('supabase-js')

  // A second tap after a quick success takes nothing back.
  await press(page)
  await expect(page.getByText(words.notes.received)).toBeVisible()
  await expect(page.locator('.field-error')).toHaveCount(0)
  expect(requests).toHaveLength(1)
  // Another request that has begun is told what it lacks, and needs no service type.
  await fields(page).name.fill('John Doe')
  await press(page, 'incomplete')
  await fillIn(page, { ...visitor, serviceType: '' })
  await press(page)
  expect(requests[1]?.postDataJSON()).toEqual({ ...visitor, serviceType: '' })

  // What was typed stays gone.
  await page.reload()
  await fields(page).name.focus()
  await expectLive(page)
  expect(await readValues(page)).toEqual(empty)
})

test('the form can be filled in and sent with the keyboard alone', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  await fields(page).name.focus()
  for (const typed of ['jane doe', visitor.email, '5551234567', visitor.address]) {
    await page.keyboard.type(typed)
    await page.keyboard.press('Tab')
  }
  // Not by its first letters: typed slowly, they mean others.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await expect(submitButton(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(toast(page, words.toasts.received)).toBeVisible()
  expect(requests.map((request) => request.postDataJSON())).toEqual([visitor])
  await expect(submitButton(page)).toBeFocused()
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
  await press(page)
  expect(requests[0]?.postDataJSON()).toEqual(visitor)
})

test('a missing field: toast, nothing sent, error and focus there', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  // A screen reader reads the error with the field, so it must be there when the focus is.
  await page.locator('#estimate form').evaluate((form) =>
    form.addEventListener('focusin', ({ target }) => {
      const field = target as Element
      const description = document.getElementById(field.getAttribute('aria-describedby') ?? '')
      field.setAttribute('data-heard', description?.textContent ?? '')
    }),
  )
  for (const missing of required) {
    // A browser strips the blanks from an e-mail field by itself.
    for (const value of ['', '   ']) {
      await fillIn(page, { ...visitor, [missing]: value })
      await submitButton(page).click()
      await expect(
        page.getByText('Please fill in all required fields', { exact: true }),
      ).toBeVisible()
      const field = fields(page)[missing]
      await expect(field).toBeFocused()
      await expect(field).toHaveAttribute('data-heard', /^Please enter your /)
      await expect(field).toHaveAttribute('aria-invalid', 'true')
      await expect(field).toHaveAccessibleDescription(/^Please enter your /)
      await expect(page.locator('[aria-invalid]')).toHaveCount(1)
      const { [missing]: _, ...others } = visitor
      expect(await readValues(page)).toMatchObject(others)
    }
  }
  expect(requests).toHaveLength(0)

  // On a phone the toast fits the screen, and can be closed.
  await page.setViewportSize(phoneScreen)
  await press(page, 'incomplete')
  const said = toast(page, words.toasts.incomplete)
  // Under the pointer it stays, however long this takes.
  await said.hover()
  await expect
    .poll(async () => {
      const { x = -1, width = phoneScreen.width } = (await said.boundingBox()) ?? {}
      return x >= 0 && x + width <= phoneScreen.width
    })
    .toBe(true)
  await page.getByRole('button', { name: /close/i }).click()
  await expect(said).toHaveCount(0)
})

test('a field stays marked until it is filled in, and rightly', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  await page.clock.install()
  // The first contact is the press itself: the toast, not the browser's own bubble.
  await press(page, 'incomplete')
  const said = toast(page, words.toasts.incomplete)
  expect(
    await said.evaluate((toast) => toast.closest('[aria-live]')?.getAttribute('aria-live')),
  ).toBe('polite')
  await page.mouse.move(0, 0)
  await page.clock.runFor(20_000)
  await expect(said).toHaveCount(0)
  await expect(fields(page).name).toHaveAccessibleDescription('Please enter your name.')
  await expect(page.getByText('Please enter your address.')).toBeVisible()
  await fields(page).name.fill('Jane')
  await expect(fields(page).name).not.toHaveAttribute('aria-invalid')
  await expect(fields(page).address).toHaveAttribute('aria-invalid', 'true')

  await press(page, 'incomplete')
  await fillIn(page, { ...visitor, email: 'jane@', phone: '123' })
  await submitButton(page).click()
  await expect(fields(page).email).toBeFocused()
  await expect(fields(page).email).toHaveAccessibleDescription(/name@example\.com/)
  await expect(fields(page).phone).toHaveAccessibleDescription(/at least 7 digits/)
  // None is empty any more.
  await expect(said).toBeHidden()
  await fields(page).email.fill(visitor.email)
  await fields(page).phone.press('Enter')
  await expect(page.getByRole('alert')).toHaveText(/at least 7 digits/)
  expect(requests).toHaveLength(0)
})

test.describe('a failure', () => {
  test.use({ expectedErrors: /Failed to load resource/ })

  test('of any kind: toast, values kept, a number to call', async ({ page }) => {
    await page.clock.install()
    await fillIn(page)
    const estimate = page.locator('#estimate')
    const phoneLink = estimate.getByRole('link', { name: company.phone })
    const keys = new Set<string | undefined>()
    for (const [answer, tries] of [
      [{ status: 500, body: '{"error":{"code":"x","message":"y"}}' }, 2],
      // What was typed is refused: it would be again.
      [{ status: 422, body: '{"error":{"code":"x","message":"y"}}' }, 1],
      [{ status: 502, body: '<html>Bad gateway</html>' }, 2],
      ['cut', 2],
    ] as const) {
      const requests = await answerWith(page, answer)
      await submitButton(page).click()
      await runClockUntil(page, () => requests.length === tries)
      await expect(estimate.getByText(words.notes.failed)).toBeVisible()
      const said = page.getByText('Failed to submit form. Please try again.', { exact: true })
      await expect(said).toBeVisible()
      expect(requests).toHaveLength(tries)
      for (const request of requests) keys.add(keyOf(request))
      expect(await readValues(page)).toEqual(visitor)
      await expect(submitButton(page)).toHaveText('Request Free Estimate →')
      await expect(phoneLink).toBeVisible()
      // The next toast must be the next answer's.
      await page.getByRole('button', { name: /close/i }).click()
      await expect(said).toHaveCount(0)
    }
    // Pressing again later is still the same lead.
    await page.reload()
    const later = await answerWith(page, { status: 200 })
    await press(page)
    expect([...keys]).toEqual(later.map(keyOf))
    await expect(estimate.getByRole('link')).toHaveCount(0)
  })
})
