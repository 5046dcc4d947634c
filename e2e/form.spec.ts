import { company, form as words } from '../site/content.ts'
import {
  answerWith,
  fields,
  fillIn,
  functionUrl,
  readValues,
  submitButton,
  toast,
  visitor,
} from './form.ts'
import { expect, phone as phoneScreen, test } from './test.ts'

test.beforeEach(async ({ page }) => {
  await page.goto('/')
})

test.describe('the estimate form', () => {
  test('has the five fields with labels, types, placeholders and autocomplete tokens', async ({
    page,
  }) => {
    const { name, email, phone, address, serviceType } = fields(page)
    for (const [field, type, placeholder, token] of [
      [name, 'text', /^\w+ \w+$/, 'name'],
      [email, 'email', /^\S+@\S+$/, 'email'],
      [phone, 'tel', '(555) 123-4567', 'tel'],
      [address, 'text', '123 Main St, City, State, ZIP', 'street-address'],
    ] as const) {
      await expect(field).toHaveAttribute('type', type)
      await expect(field).toHaveAttribute('placeholder', placeholder)
      await expect(field).toHaveAttribute('autocomplete', token)
      await expect(field).toHaveAttribute('required')
      await expect(field).toHaveValue('')
    }
    await expect(serviceType).not.toHaveAttribute('required')
    await expect(serviceType).toHaveValue('')
    const options = await serviceType
      .locator('option')
      .evaluateAll((options) =>
        options.map((option) => [(option as HTMLOptionElement).value, option.textContent]),
      )
    expect(options.slice(1)).toEqual([
      ['new-roof', 'New Roof Installation'],
      ['roof-repair', 'Roof Repair'],
      ['roof-replacement', 'Roof Replacement'],
      ['roof-inspection', 'Roof Inspection'],
      ['emergency', 'Emergency Service'],
      ['other', 'Other'],
    ])
    await expect(submitButton(page)).toHaveText('Request Free Estimate →')
  })

  test('keeps text at 16 px or more in every field, so that iOS does not zoom', async ({
    page,
  }) => {
    const sizes = await page
      .locator('#estimate .field :is(input, select)')
      .evaluateAll((fields) =>
        fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)),
      )
    expect(sizes).toHaveLength(5)
    for (const size of sizes) expect(size).toBeGreaterThanOrEqual(16)
  })

  test('sends exactly the five fields to the function, as supabase-js does', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests).toHaveLength(1)
    const [request] = requests
    expect(request?.method()).toBe('POST')
    expect(request?.postDataJSON()).toEqual(visitor)
    const headers = (await request?.allHeaders()) ?? {}
    expect(headers).toMatchObject({ apikey: 'public-anon-key', 'content-type': 'application/json' })
    expect(headers['x-client-info']).toContain('supabase-js')
  })

  test('a second tap after a quick success takes nothing back', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    await submitButton(page).click()
    await expect(page.getByText(words.notes.received)).toBeVisible()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    await expect(page.locator('.field-error')).toHaveCount(0)
    expect(requests).toHaveLength(1)
    // Whoever has begun another request is told what it lacks.
    await fields(page).name.fill('John Doe')
    await submitButton(page).click()
    await expect(toast(page, words.toasts.incomplete)).toBeVisible()
  })

  test('what is on its way cannot be changed any more', async ({ page }) => {
    let answer = () => {}
    await page.route(functionUrl, async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      await route.fulfill({ contentType: 'application/json', body: '{"ok":true}' })
    })
    await fillIn(page)
    await submitButton(page).click()
    await expect(submitButton(page)).toBeDisabled()
    await fields(page).phone.pressSequentially('9')
    await expect(fields(page).phone).toHaveValue(visitor.phone)
    answer()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    await expect(fields(page).phone).toBeEditable()
  })

  test('a toast about empty fields goes when none is empty', async ({ page }) => {
    await submitButton(page).click()
    await expect(toast(page, words.toasts.incomplete)).toBeVisible()
    await fillIn(page, { ...visitor, email: 'jane' })
    await submitButton(page).click()
    await expect(page.locator('.field-error')).toHaveCount(1)
    await expect(toast(page, words.toasts.incomplete)).toBeHidden()
  })

  test('says so word for word on success, and starts afresh', async ({ page }) => {
    await answerWith(page, { status: 200 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(
      page.getByText("Estimate request received! We'll contact you within 10 minutes.", {
        exact: true,
      }),
    ).toBeVisible()
    expect(await readValues(page)).toEqual({
      name: '',
      email: '',
      phone: '',
      address: '',
      serviceType: '',
    })
    await expect(submitButton(page)).toHaveText('Request Free Estimate →')
    await expect(submitButton(page)).toBeEnabled()
  })

  test('needs no service type', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page, { ...visitor, serviceType: '' })
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests[0]?.postDataJSON()).toEqual({ ...visitor, serviceType: '' })
  })

  test('reads Submitting... and is disabled while it sends, then is idle again', async ({
    page,
  }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(functionUrl, async (route) => {
      await held
      await route.fulfill({ json: { ok: true } })
    })
    await fillIn(page)
    await submitButton(page).click()
    await expect(submitButton(page)).toHaveText('Submitting...')
    await expect(submitButton(page)).toBeDisabled()
    release()
    await expect(submitButton(page)).toHaveText('Request Free Estimate →')
    await expect(submitButton(page)).toBeEnabled()
  })

  test('sends once however often it is pressed', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fillIn(page)
    await page.locator('#estimate form').evaluate((form: HTMLFormElement) => {
      const button = form.querySelector('button') as HTMLButtonElement
      for (let press = 0; press < 5; press++) button.click()
    })
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests).toHaveLength(1)
  })

  test('can be filled in and sent with the keyboard alone', async ({ page }) => {
    const requests = await answerWith(page, { status: 200 })
    await fields(page).name.focus()
    await page.keyboard.type('jane doe')
    await page.keyboard.press('Tab')
    await page.keyboard.type(visitor.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('5551234567')
    await page.keyboard.press('Tab')
    await page.keyboard.type(visitor.address)
    await page.keyboard.press('Tab')
    await page.keyboard.type('Roof Rep')
    await page.keyboard.press('Tab')
    await expect(submitButton(page)).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests[0]?.postDataJSON()).toMatchObject({ name: 'Jane Doe', email: visitor.email })
    await expect(submitButton(page)).toBeFocused()
  })
})

test.describe('a missing field', () => {
  for (const missing of ['name', 'email', 'phone', 'address'] as const) {
    for (const [how, value] of [
      ['empty', ''],
      ['blank', '   '],
    ] as const) {
      // A browser strips the blanks from an e-mail field by itself.
      test(`${missing}, ${how}: toast, nothing sent, error at the field, focus there`, async ({
        page,
      }) => {
        const requests = await answerWith(page, { status: 200 })
        await fillIn(page, { ...visitor, [missing]: value })
        await submitButton(page).click()
        await expect(
          page.getByText('Please fill in all required fields', { exact: true }),
        ).toBeVisible()
        const field = fields(page)[missing]
        await expect(field).toBeFocused()
        await expect(field).toHaveAttribute('aria-invalid', 'true')
        await expect(field).toHaveAccessibleDescription(/^Please enter your /)
        expect(requests).toHaveLength(0)
        const { [missing]: _, ...others } = visitor
        expect(await readValues(page)).toMatchObject(others)
      })
    }
  }

  test('is still marked in the form after the toast has gone, until it is mended', async ({
    page,
  }) => {
    await page.clock.install()
    await fields(page).name.focus()
    await submitButton(page).click()
    await expect(toast(page, words.toasts.incomplete)).toBeVisible()
    await page.mouse.move(0, 0)
    await page.clock.runFor(20_000)
    await expect(toast(page, words.toasts.incomplete)).toHaveCount(0)
    await expect(fields(page).name).toHaveAccessibleDescription('Please enter your name.')
    await expect(page.getByText('Please enter your address.')).toBeVisible()
    await fields(page).name.fill('Jane')
    await expect(fields(page).name).not.toHaveAttribute('aria-invalid')
    await expect(fields(page).address).toHaveAttribute('aria-invalid', 'true')
  })

  test('is announced: the toast stands in a live region', async ({ page }) => {
    await submitButton(page).click()
    await expect(toast(page, words.toasts.incomplete)).toBeVisible()
    const live = await toast(page, words.toasts.incomplete).evaluate((toast) =>
      toast.closest('[aria-live]')?.getAttribute('aria-live'),
    )
    expect(live).toBe('polite')
  })
})

test('a field that is filled in wrongly is named, mended and not sent', async ({ page }) => {
  const requests = await answerWith(page, { status: 200 })
  await fillIn(page, { ...visitor, email: 'jane@', phone: '123' })
  await submitButton(page).click()
  await expect(fields(page).email).toBeFocused()
  await expect(fields(page).email).toHaveAccessibleDescription(/name@example\.com/)
  await expect(fields(page).phone).toHaveAccessibleDescription(/at least 7 digits/)
  expect(requests).toHaveLength(0)
})

test.describe('for a screen reader', () => {
  test('the error is there when the focus reaches its field', async ({ page }) => {
    await page.locator('#email').evaluate((field) =>
      field.addEventListener('focus', () => {
        const description = document.getElementById(field.getAttribute('aria-describedby') ?? '')
        field.setAttribute('data-heard', description?.textContent ?? '')
      }),
    )
    await fillIn(page, { ...visitor, email: '' })
    await submitButton(page).click()
    await expect(fields(page).email).toHaveAttribute(
      'data-heard',
      'Please enter your e-mail address.',
    )
  })

  test('an error at the field one is in is read out', async ({ page }) => {
    await fillIn(page, { ...visitor, phone: '123' })
    await fields(page).phone.press('Enter')
    await expect(page.getByRole('alert')).toHaveText(/at least 7 digits/)
  })
})

test.describe('a failure', () => {
  test.use({ expectedErrors: /Failed to load resource/ })

  for (const [what, answer] of [
    ['the function answers 500', { status: 500, body: '{"error":{"code":"x","message":"y"}}' }],
    ['the function refuses a field', { status: 422, body: '{"error":{"code":"x","message":"y"}}' }],
    ['the answer is not JSON', { status: 502, body: '<html>Bad gateway</html>' }],
    ['the connection is cut', 'cut'],
  ] as const) {
    test(`when ${what}: toast word for word, values kept, a number to call`, async ({ page }) => {
      await answerWith(page, answer)
      await fillIn(page)
      await submitButton(page).click()
      await expect(
        page.getByText('Failed to submit form. Please try again.', { exact: true }),
      ).toBeVisible()
      expect(await readValues(page)).toEqual(visitor)
      await expect(submitButton(page)).toHaveText('Request Free Estimate →')
      await expect(
        page.locator('#estimate').getByRole('link', { name: company.phone }),
      ).toBeVisible()
    })
  }

  test('can be followed by a second try that succeeds', async ({ page }) => {
    await answerWith(page, { status: 500 })
    await fillIn(page)
    await submitButton(page).click()
    await expect(toast(page, words.toasts.failed)).toBeVisible()
    await page.unroute(functionUrl)
    await answerWith(page, { status: 200 })
    await submitButton(page).click()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    await expect(page.locator('#estimate').getByRole('link')).toHaveCount(0)
  })
})

test.describe('the name', () => {
  test('is formatted as typed', async ({ page }) => {
    await fields(page).name.pressSequentially('jOHN mcDONALD')
    await expect(fields(page).name).toHaveValue('John Mcdonald')
  })

  test('keeps the caret where the visitor put it', async ({ page }) => {
    const { name } = fields(page)
    await name.pressSequentially('jane doe')
    for (let press = 0; press < 6; press++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('XY')
    await expect(name).toHaveValue('Jaxyne Doe')
    expect(await name.evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(4)
    await page.keyboard.press('Home')
    await page.keyboard.press('Delete')
    await expect(name).toHaveValue('Axyne Doe')
    expect(await name.evaluate((field: HTMLInputElement) => field.selectionStart)).toBe(0)
  })

  test('leaves an input method alone until it is done', async ({ page }) => {
    const { name } = fields(page)
    await name.focus()
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
})

test.describe('before the form’s code has arrived', () => {
  test('what is typed stays, and a press is acted on once the code is there', async ({ page }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/assets/main-*.js', async (route) => {
      await held
      await route.continue()
    })
    const requests = await answerWith(page, { status: 200 })
    await page.reload()
    await fillIn(page)
    await submitButton(page).click()
    await submitButton(page).click()
    await expect(page).toHaveURL('/')
    expect(requests).toHaveLength(0)
    release()
    await expect(toast(page, words.toasts.received)).toBeVisible()
    expect(requests.map((request) => request.postDataJSON())).toEqual([visitor])
  })

  test('an empty press gets the toast, not the browser’s own bubble', async ({ page }) => {
    await submitButton(page).click()
    await expect(toast(page, words.toasts.incomplete)).toBeVisible()
  })
})

test('on a phone the toast fits the screen and hides neither field nor button for good', async ({
  page,
}) => {
  await page.setViewportSize(phoneScreen)
  await submitButton(page).click()
  const box = await toast(page, words.toasts.incomplete).boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(phoneScreen.width)
  await page.getByRole('button', { name: /close/i }).click()
  await expect(toast(page, words.toasts.incomplete)).toHaveCount(0)
})
