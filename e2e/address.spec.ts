import { fakeGoogleMaps } from '#fakes/google-maps.ts'
import { findAddress, test } from './address.ts'
import { company } from './content.ts'
import { expect, test as plain } from './test.ts'

// Chromium logs an error for a blocked request.
test.use({ expectedErrors: /Failed to load resource.*maps\.googleapis\.com/ })

// Tests the requests to Google and the use of the responses. address-list.spec.ts tests the list, and
// search.test.ts tests when requests are sent.

plain('sends no requests to Google without a key', async ({ page, form }) => {
  const google = await fakeGoogleMaps(page)
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto('/')
  const address = findAddress(page)
  await address.field.pressSequentially('12 Oak')
  await form.expectHydrated()
  await page.waitForLoadState('networkidle')
  await address.expectPlain()
  expect(google.scripts).toEqual([])
  expect(urls.filter((url) => url.includes('address-'))).toEqual([])
})

test('loads Google’s script once, when the visitor focuses the form, even if it loads slowly', async ({
  page,
  form,
  address,
}) => {
  const { field, combobox } = address
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
  const google = await fakeGoogleMaps(page, { arrives })
  await page.goto('/')
  await page.mouse.move(20, 300)
  await page.mouse.wheel(0, 600)
  await page.getByRole('link', { name: company.phone }).first().focus()
  await form.expectHydrated()
  await page.waitForLoadState('networkidle')
  expect(google.scripts).toEqual([])

  await form.name.focus()
  await expect.poll(() => google.scripts.length).toBe(1)
  expect(google.scripts[0]?.origin).toBe('https://maps.googleapis.com')
  expect(Object.fromEntries(google.scripts[0]?.searchParams ?? [])).toEqual({
    key: 'a-key',
    v: 'weekly',
    loading: 'async',
    libraries: 'places',
    language: 'en',
    region: 'US',
  })
  // The value, the caret, and the focus do not change when the suggestions load.
  await form.email.focus()
  await field.pressSequentially('12 Ok')
  await page.keyboard.press('ArrowLeft')
  await address.expectPlain()
  const element = await field.elementHandle()
  arrive()
  await expect(combobox).toBeFocused()
  await page.keyboard.type('a')
  await expect(field).toHaveValue('12 Oak')
  await expect(address.options).toHaveCount(5)
  expect(await element?.evaluate((input) => input.isConnected)).toBe(true)
  expect(google.scripts).toHaveLength(1)
})

test('keeps a plain field without an error message when the script is blocked', async ({
  page,
  address,
}) => {
  const google = await fakeGoogleMaps(page, { blocked: true })
  await page.goto('/')
  await address.field.focus()
  await expect.poll(() => google.scripts.length).toBe(1)
  await address.expectPlain()
  await address.expectTypedAddressSent()
  expect(google.searches).toEqual([])
  expect(google.scripts).toHaveLength(1)
})

test('suggests only addresses and fills in the formatted address of the chosen one', async ({
  page,
  address,
}) => {
  const { field, options } = address
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
  const google = await fakeGoogleMaps(page, {
    format: (place) => {
      if (place.startsWith('12 Oak St')) return arrives.then(() => 'Too late')
      return place.startsWith('12 Oak Ave') ? `${place} 80202, USA` : null
    },
  })
  await address.openList()
  const submits = await address.countSubmits()
  const types = ['street_address', 'premise', 'subpremise', 'route']
  expect(google.searches).toEqual([{ input: '12 Oak', types, regions: ['us'], session: 1 }])
  await address.list.getByRole('option', { name: '12 Oak Ave Boulder, CO' }).click()
  await expect(field).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-expanded', 'false')
  expect(google.details).toEqual([
    { place: '12 Oak Ave, Boulder, CO', fields: ['formattedAddress'], session: 1 },
  ])
  expect(google.searches).toHaveLength(1)

  // Each choice ends the billing session.
  await field.selectText()
  await address.type('7 Elm')
  await expect(options).toHaveCount(5)
  expect(google.searches.map(({ session }) => session)).toEqual([1, 2])
  await options.last().click()
  await expect.poll(() => google.details.length).toBe(2)
  await expect(options).toHaveCount(0)
  await expect(field).toHaveValue('7 Elm')

  // A late response does not overwrite typed text.
  await address.type(' St')
  await options.first().click()
  await page.keyboard.type('reet')
  arrive()
  await expect(options).toHaveCount(5)
  await expect(field).toHaveValue('7 Elm Street')
  expect(await submits()).toBe(0)

  // After the form is sent, the old list does not reopen.
  await address.expectTypedAddressSent()
  await expect(field).toHaveValue('')
  await field.focus()
  await page.keyboard.press('ArrowDown')
  await expect(options).toHaveCount(0)

  // If Google rejects the key, the field is plain again.
  await google.rejectKey()
  await address.expectPlain()
  await address.expectTypedAddressSent()
})
