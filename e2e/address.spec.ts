import { fakeGoogleMaps } from '#fakes/google-maps.ts'
import { company } from '#site/content.ts'
import { findAddress, test } from './address.ts'
import { expect, test as plain } from './test.ts'

// Chromium writes a line of its own for a request that was blocked.
test.use({ expectedErrors: /Failed to load resource.*maps\.googleapis\.com/ })

// What is asked of Google, and what becomes of its answers. The list itself: address-list.spec.ts;
// when it is asked, and how often: search.test.ts.

plain('without a key nothing is asked of Google and the field is plain', async ({ page }) => {
  const asked = await fakeGoogleMaps(page)
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto('/')
  const address = findAddress(page)
  await address.field.pressSequentially('12 Oak')
  await page.waitForLoadState('networkidle')
  await address.expectPlain()
  expect(asked.scripts).toEqual([])
  expect(urls.filter((url) => url.includes('address-'))).toEqual([])
})

test('Google’s script is asked for once, at the first contact with the form, and may be late', async ({
  page,
  form,
  address,
}) => {
  const { field, combobox } = address
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
  const asked = await fakeGoogleMaps(page, { arrives })
  await page.goto('/')
  await page.mouse.move(20, 300)
  await page.mouse.wheel(0, 600)
  await page.getByRole('link', { name: company.phone }).first().focus()
  await page.waitForLoadState('networkidle')
  expect(asked.scripts).toEqual([])

  await form.name.focus()
  await expect.poll(() => asked.scripts.length).toBe(1)
  expect(asked.scripts[0]?.origin).toBe('https://maps.googleapis.com')
  expect(Object.fromEntries(asked.scripts[0]?.searchParams ?? [])).toEqual({
    key: 'a-key',
    v: 'weekly',
    loading: 'async',
    libraries: 'places',
    language: 'en',
    region: 'US',
  })
  // Value, caret and focus stay as they are.
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
  expect(asked.scripts).toHaveLength(1)
})

test('a blocked script leaves a plain field, silently', async ({ page, address }) => {
  const asked = await fakeGoogleMaps(page, { blocked: true })
  await page.goto('/')
  await address.field.focus()
  await expect.poll(() => asked.scripts.length).toBe(1)
  await address.expectPlain()
  await address.expectToSend()
  expect(asked.scripts).toHaveLength(1)
})

test('a script without places is polled every 100 ms, for two minutes', async ({
  page,
  address,
}) => {
  await page.clock.install()
  await fakeGoogleMaps(page, { offers: 'nothing' })
  await page.goto('/')
  await address.field.focus()
  await page.waitForFunction(() => 'google' in window)
  // From here on time passes only as it is told to.
  await page.clock.pauseAt(Date.now() + 60_000)
  const polls = await page.evaluateHandle(() => {
    const { google } = window as unknown as { google: { maps: object } }
    const polls = { count: 0 }
    Object.defineProperty(google, 'maps', { get: () => ({ places: void polls.count++ }) })
    return polls
  })
  const countPolls = () => polls.evaluate(({ count }) => count)
  await page.clock.runFor(1000)
  expect(await countPolls()).toBe(10)
  await page.clock.runFor(120_000)
  const atTheEnd = await countPolls()
  await page.clock.runFor(10_000)
  expect(await countPolls()).toBe(atTheEnd)
  await address.expectPlain()
})

test('suggestions are addresses; a choice fills in the formatted one, if any', async ({
  page,
  address,
}) => {
  const { field, options } = address
  const asked = await fakeGoogleMaps(page, {
    format: (place) => (place.startsWith('12 Oak Ave') ? `${place} 80202, USA` : null),
  })
  await address.openList()
  const submits = await address.countSubmits()
  const types = ['street_address', 'premise', 'subpremise', 'route']
  expect(asked.searches).toEqual([{ input: '12 Oak', types, regions: ['us'], session: 1 }])
  await address.list.getByRole('option', { name: '12 Oak Ave Boulder, CO' }).click()
  await expect(field).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-expanded', 'false')
  expect(asked.details).toEqual([
    { place: '12 Oak Ave, Boulder, CO', fields: ['formattedAddress'], session: 1 },
  ])
  expect(asked.searches).toHaveLength(1)

  // Each choice ends its session.
  await field.selectText()
  await address.type('7 Elm')
  await expect(options).toHaveCount(5)
  expect(asked.searches.map(({ session }) => session)).toEqual([1, 2])
  await options.first().click()
  await expect.poll(() => asked.details.length).toBe(2)
  await expect(options).toHaveCount(0)
  await expect(field).toHaveValue('7 Elm')
  expect(await submits()).toBe(0)

  // Once the form is sent, the list is forgotten.
  await address.expectToSend()
  await expect(field).toHaveValue('')
  await field.focus()
  await page.keyboard.press('ArrowDown')
  await expect(options).toHaveCount(0)
})

test('suggestions never overwrite what is typed, and stop with the key', async ({
  page,
  address,
}) => {
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
  const asked = await fakeGoogleMaps(page, { format: () => arrives.then(() => 'Too late') })
  await address.openList()
  await address.options.first().click()
  await page.keyboard.type('ley')
  arrive()
  await expect(address.options).toHaveCount(5)
  await expect(address.field).toHaveValue('12 Oakley')

  await asked.refuseKey()
  await address.expectPlain()
  const { length } = asked.searches
  await address.expectToSend()
  expect(asked.searches).toHaveLength(length)
})

test('suggestions stop for good when Google refuses three times (over quota), silently', async ({
  page,
  address,
}) => {
  const asked = await fakeGoogleMaps(page, {
    answer: () => {
      throw new Error('RESOURCE_EXHAUSTED: quota')
    },
  })
  await address.reach()
  for (const searches of [1, 2, 3]) {
    await address.type('12 Oak')
    await expect.poll(() => asked.searches.length).toBe(searches)
  }
  await address.expectPlain()
  await address.expectToSend()
  expect(asked.searches).toHaveLength(3)
})

// Where a key's project has only Google's old widget.
test('the old widget offers addresses only, and Enter on its list does not submit', async ({
  page,
  address,
}) => {
  const { field } = address
  const asked = await fakeGoogleMaps(page, { offers: 'old' })
  const oldList = page.locator('.pac-container')
  const openOldList = async () => {
    await field.fill('')
    await address.type('12 Oak')
    await expect(oldList).toBeVisible()
  }
  await page.goto('/')
  await field.focus()
  await expect(oldList).toBeAttached()
  await openOldList()
  const submits = await address.countSubmits()
  expect(asked.searches.at(-1)).toMatchObject({ types: ['address'], regions: ['us'] })
  // The widget alone would switch autofill off.
  await expect(field).toHaveAttribute('autocomplete', 'street-address')
  await oldList.getByText('12 Oak Ave').click()
  await expect(field).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
  expect(asked.details).toMatchObject([{ fields: ['formatted_address'] }])

  // On nothing in particular it leaves what was typed.
  await openOldList()
  await page.keyboard.press('Enter')
  await expect(oldList).toBeHidden()
  await expect(field).toHaveValue('12 Oak')

  await openOldList()
  await address.pressKeys('ArrowDown', 'Enter')
  await expect(field).toHaveValue('12 Oak St, Denver, CO 80202, USA')
  expect(await submits()).toBe(0)
  await page.keyboard.press('Enter')
  expect(await submits()).toBe(1)

  // A refused key does not disable the field.
  await asked.refuseKey()
  await address.expectPlain()
  await expect(field).not.toHaveClass(/gm-err/)
  await expect(field).not.toHaveAttribute('style')
  await field.fill('1 Ridge Rd, Denver')
  await expect(field).toHaveValue('1 Ridge Rd, Denver')
})
