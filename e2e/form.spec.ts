import { formatCallTime } from '#leads/call-time.ts'
import { type Field, fieldNames, leadFields } from '#leads/fields.ts'
import { fill } from '#leads/fill.ts'
import { minuteMs } from '#leads/time-units.ts'
import { company, hours, form as words } from './content.ts'
import { computeCallTime, formatReceived, functionUrl, keyOf, noValues, visitor } from './form.ts'
import { expect, test } from './test.ts'

test.use({ timezoneId: hours.timeZone })

test('has the five fields from the specification', async ({ page, form }) => {
  await page.goto('/')
  const { name, email, address, serviceType, button } = form
  for (const [field, type, placeholder, autocomplete] of [
    [name, 'text', /^\w+ \w+$/, 'name'],
    [email, 'email', /^\S+@\S+$/, 'email'],
    [form.phone, 'tel', '(555) 123-4567', 'tel'],
    [address, 'text', '123 Main St, City, State, ZIP', 'street-address'],
  ] as const) {
    for (const [attribute, value] of Object.entries({ type, placeholder, autocomplete }))
      await expect(field).toHaveAttribute(attribute, value)
    await expect(field).toHaveAttribute('required')
  }
  await expect(serviceType).not.toHaveAttribute('required')
  expect(await form.readValues()).toEqual(noValues)
  const options = await serviceType
    .locator('option')
    .evaluateAll((options: HTMLOptionElement[]) =>
      options.map(({ value, textContent }) => `${value}: ${textContent}`),
    )
  expect(options.slice(1)).toEqual([
    'new-roof: New Roof Installation',
    'roof-repair: Roof Repair',
    'roof-replacement: Roof Replacement',
    'roof-inspection: Roof Inspection',
    'emergency: Emergency Service',
    'other: Other',
  ])
  await expect(button).toHaveText('Request Free Estimate →')
  // iOS zooms in on fields with text smaller than 16 px.
  for (const name of fieldNames) {
    const size = await form[name].evaluate((field) => getComputedStyle(field).fontSize)
    expect(Number.parseFloat(size)).toBeGreaterThanOrEqual(16)
  }
  // The consent text is below the button.
  expect(words.consent.text).toMatch(/your number/)
  const consent = await page.getByText(words.consent.text).boundingBox()
  const pressed = await button.boundingBox()
  expect(consent?.y).toBeGreaterThan((pressed?.y ?? 0) + (pressed?.height ?? 0))
})

test('shows the large button on the first screen of a phone and of a small laptop', async ({
  page,
  form,
}) => {
  test.skip(!('sample' in company), 'an owner may have a longer name and headline')
  for (const [width, height] of [
    [390, 844],
    [1280, 720],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto('/')
    await expect(form.button).toBeInViewport({ ratio: 1 })
    expect((await form.button.boundingBox())?.height).toBeGreaterThanOrEqual(52)
  }
})

test('sends the five fields once and resets the form after a success', async ({ page, form }) => {
  const requests = await form.answerWith({ status: 200 })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  // Playwright calls the newest route first.
  await page.route(functionUrl, async (route) => {
    await answered
    await route.fallback()
  })
  await page.goto('/')
  await form.fillIn()
  expect(await form.readDraft()).toContain(visitor.email)
  await form.button.evaluate((button: HTMLButtonElement) => {
    for (let press = 0; press < 5; press++) button.click()
  })
  // The fields are read-only while sending.
  await expect(form.button).toHaveText('Submitting...')
  await expect(form.button).toBeDisabled()
  await form.phone.pressSequentially('9')
  await expect(form.phone).toHaveValue(visitor.phone)
  answer()
  const message = `Estimate request received! We'll contact you within ${hours.promiseMinutes} minutes.`
  await expect(page.getByText(message, { exact: true })).toBeVisible()
  // The Content-Security-Policy allows the toast's styles, which a script adds.
  await expect(form.toast('received')).toHaveCSS('position', 'absolute')
  expect(await form.readValues()).toEqual(noValues)
  expect(await form.readDraft()).toBeNull()
  await expect(form.button).toHaveText('Request Free Estimate →')
  await expect(form.button).toBeEnabled()
  await expect(form.phone).toBeEditable()

  expect(requests).toHaveLength(1)
  const [request] = requests
  expect(request?.method()).toBe('POST')
  expect(request?.postDataJSON()).toEqual(visitor)
  const headers = (await request?.allHeaders()) ?? {}
  expect(headers).toMatchObject({ apikey: 'public-anon-key', 'content-type': 'application/json' })
  expect(headers['x-client-info']).toContain('supabase-js')

  // A second tap after a fast success does not show errors.
  await form.button.click()
  await expect(form.received).toBeVisible()
  await expect(page.locator('.field-error:not(:empty)')).toHaveCount(0)
  expect(requests).toHaveLength(1)
  // An incomplete new request shows a toast. The service type is optional.
  await form.name.fill('John Doe')
  await form.press('incomplete')
  await form.fillIn({ ...visitor, serviceType: '' })
  await form.press()
  expect(requests[1]?.postDataJSON()).toEqual({ ...visitor, serviceType: '' })
})

test('can be filled in and sent with the keyboard or with autofill alone', async ({
  page,
  form,
}) => {
  // The message uses the server's clock, because the visitor's may be wrong.
  const headers = { date: 'Mon, 04 Jan 2027 18:00:50 GMT' }
  const requests = await form.answerWith({ status: 200, headers })
  await page.goto('/')
  await form.name.focus()
  await form.expectHydrated()
  const typed = { ...visitor, name: 'jane doe', phone: '5551234567' }
  for (const name of fieldNames) {
    // Use arrow keys in the list, because letters typed slowly would select different options.
    const { choices }: Field = leadFields[name]
    const downs = Object.keys(choices ?? {}).indexOf(typed[name]) + 1
    const keys = [...Array(downs).fill('ArrowDown'), 'Tab']
    if (!choices) await page.keyboard.type(typed[name])
    for (const key of keys) await page.keyboard.press(key)
  }
  await expect(form.button).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(form.toast('received')).toBeVisible()
  await expect(form.button).toBeFocused()
  const message = page.getByRole('status').filter({ has: form.received })
  await expect(message).toHaveText(formatReceived(computeCallTime('12:01')), { useInnerText: true })
  await expect(message.getByRole('link', { name: company.phone })).toHaveAttribute(
    'href',
    `tel:+1${company.phone.replace(/\D/g, '')}`,
  )
  // The message replaces the heading, but the heading still labels the form.
  await expect(page.locator('#estimate-heading')).toBeHidden()
  await expect(page.getByRole('form', { name: /^Free estimate/ })).toBeVisible()

  await form.form.evaluate((form: HTMLFormElement, values) => {
    for (const [name, value] of Object.entries(values)) {
      const field = form.elements.namedItem(name) as HTMLInputElement
      field.value = value
      for (const type of ['input', 'change'])
        field.dispatchEvent(new Event(type, { bubbles: true }))
    }
  }, visitor)
  await form.button.click()
  await expect.poll(form.readValues).toEqual(noValues)
  expect(requests.map((request) => request.postDataJSON())).toEqual([visitor, visitor])
})

test('shows the promised time again after a reload until it has passed', async ({ page, form }) => {
  const receivedAt = Date.parse('2027-01-04T18:00:50Z')
  const deadlineAt = receivedAt + hours.promiseMinutes * minuteMs
  await page.clock.install({ time: receivedAt })
  await form.answerWith({ status: 200, headers: { date: new Date(receivedAt).toUTCString() } })
  await page.goto('/')
  await form.fillIn()
  await form.press()
  const readMessage = async () => {
    await expect(form.received).toBeInViewport({ ratio: 1 })
    const { width, height } = (await form.received.boundingBox()) ?? {}
    return { text: await form.received.innerText(), width, height }
  }
  const message = await readMessage()
  const time = formatCallTime(deadlineAt, { now: receivedAt, timeZone: hours.timeZone })
  expect(message.text).toContain(
    fill(words.received.callBy, { time }).replace(/ (?=[AP]M)/, '\xa0'),
  )

  await page.reload()
  expect(await readMessage()).toEqual(message)
  // The message stays until the visitor presses the button again.
  await form.name.fill('John Doe')
  await expect(form.received).toBeVisible()
  await form.press('incomplete')
  await expect(form.received).toBeHidden()
  await expect(page.locator('#estimate-heading')).toBeVisible()

  await page.clock.setSystemTime(deadlineAt + 1_000)
  await page.reload()
  await expect(form.name).toHaveValue('John Doe')
  await expect(form.received).toBeHidden()
})

test.describe('after a failure', () => {
  test.use({ expectedErrors: /Failed to load resource/ })

  test('shows a toast and a phone number, and keeps the values', async ({ page, form }) => {
    await page.clock.install()
    // Submitting the form hides the outcome of an earlier native post.
    await page.goto('/#estimate-failed')
    const nativeOutcome = page.locator('#estimate-failed')
    await expect(nativeOutcome).toContainText(words.toasts.failed)
    await expect(nativeOutcome).toBeInViewport()
    await form.fillIn()
    const keys = new Set<string | undefined>()
    const error = '{"error":{"code":"x","message":"y"}}'
    for (const [answer, tries] of [
      [{ status: 500, body: error }, 2],
      // Invalid values are not retried, because a retry would also fail.
      [{ status: 422, body: error }, 1],
      // A Wi-Fi sign-in page or a host's fallback page may return 200. See connection.test.ts.
      [{ contentType: 'text/html; charset=UTF-8', body: '<h1>Welcome</h1>' }, 1],
    ] as const) {
      const requests = await form.answerWith(answer)
      await form.button.click()
      await form.waitForRequest(requests)
      await form.runClockUntil(() => requests.length === tries)
      await expect(form.note('failed')).toBeVisible()
      const toastText = page.getByText('Failed to submit form. Please try again.', { exact: true })
      await expect(toastText).toBeVisible()
      await expect(nativeOutcome).toBeHidden()
      expect(requests).toHaveLength(tries)
      for (const request of requests) keys.add(keyOf(request))
      expect(await form.readValues()).toEqual(visitor)
      expect(await form.readDraft()).toContain(visitor.address)
      await expect(form.button).toHaveText('Request Free Estimate →')
      await expect(form.root.getByRole('link', { name: company.phone })).toBeVisible()
      // Close this toast, so that the next toast is certain to be for the next response.
      await page.getByRole('button', { name: /close/i }).click()
      await expect(toastText).toHaveCount(0)
    }
    // A later submit uses the same key.
    const later = await form.answerWith({ status: 200 })
    await form.press()
    expect([...keys]).toEqual(later.map(keyOf))
    // The success message replaces the note about the failure.
    await expect(form.note('failed')).toHaveCount(0)
    await expect(form.received.getByRole('link', { name: company.phone })).toBeVisible()
    await expect(nativeOutcome).toBeHidden()
  })
})
