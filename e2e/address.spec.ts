import { standInForGoogleMaps } from '#demo/google-maps-stand-in.ts'
import { company } from '#site/content.ts'
import {
  combobox,
  countSubmits,
  expectPlainField,
  expectToSend,
  field,
  list,
  openList,
  options,
  reachCombobox,
  test,
  typeInto,
} from './address.ts'
import { fields } from './form.ts'
import { expect, test as plain } from './test.ts'

// Chromium writes a line of its own for a request that was blocked.
test.use({ expectedErrors: /Failed to load resource.*maps\.googleapis\.com/ })

// What is asked of Google, and what becomes of its answers. The list itself: address-list.spec.ts.

plain('without a key nothing is asked of Google and the field is plain', async ({ page }) => {
  const asked = await standInForGoogleMaps(page)
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto('/')
  await field(page).pressSequentially('12 Oak')
  await page.waitForLoadState('networkidle')
  await expectPlainField(page)
  expect(asked.scripts).toEqual([])
  expect(urls.filter((url) => url.includes('address-'))).toEqual([])
})

test.describe('Google’s script', () => {
  test('is asked for once, at the first contact with the form, not before', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await page.goto('/')
    await page.mouse.move(20, 300)
    await page.mouse.wheel(0, 600)
    await page.getByRole('link', { name: company.phone }).first().focus()
    await page.waitForLoadState('networkidle')
    expect(asked.scripts).toEqual([])

    await fields(page).name.focus()
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
    await fields(page).email.focus()
    await field(page).focus()
    await expect(combobox(page)).toBeVisible()
    expect(asked.scripts).toHaveLength(1)
  })

  test('may be late: value, caret and focus stay as they are', async ({ page }) => {
    const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
    const asked = await standInForGoogleMaps(page, { arrives })
    await page.goto('/')
    await field(page).pressSequentially('12 Ok')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => asked.scripts.length).toBe(1)
    await expectPlainField(page)
    const element = await field(page).elementHandle()
    arrive()
    await expect(combobox(page)).toBeFocused()
    await page.keyboard.type('a')
    await expect(field(page)).toHaveValue('12 Oak')
    await expect(options(page)).toHaveCount(5)
    expect(await element?.evaluate((input) => input.isConnected)).toBe(true)
  })

  test('may be blocked: a plain field, silently', async ({ page }) => {
    const asked = await standInForGoogleMaps(page, { blocked: true })
    await page.goto('/')
    await field(page).focus()
    await expect.poll(() => asked.scripts.length).toBe(1)
    await expectPlainField(page)
    await expectToSend(page)
    expect(asked.scripts).toHaveLength(1)
  })

  test('without places is polled every 100 ms, for two minutes', async ({ page }) => {
    await page.clock.install()
    await standInForGoogleMaps(page, { offers: 'nothing' })
    await page.goto('/')
    await field(page).focus()
    await page.waitForFunction(() => 'google' in window)
    // From here on time passes only as it is told to.
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.evaluate(() => {
      const { google } = window as unknown as { google: { maps: object } }
      let polls = 0
      Object.defineProperty(google, 'maps', { get: () => ({ places: void polls++ }) })
      Object.assign(window, { countPolls: () => polls })
    })
    const countPolls = () =>
      page.evaluate(() => (window as unknown as { countPolls(): number }).countPolls())
    await page.clock.runFor(1000)
    expect(await countPolls()).toBe(10)
    await page.clock.runFor(120_000)
    const atTheEnd = await countPolls()
    await page.clock.runFor(10_000)
    expect(await countPolls()).toBe(atTheEnd)
    await expectPlainField(page)
  })
})

test.describe('suggestions', () => {
  test('are addresses; a choice fills in the formatted one, if any', async ({ page }) => {
    const asked = await standInForGoogleMaps(page, {
      format: (place) => (place.startsWith('12 Oak Ave') ? `${place} 80202, USA` : null),
    })
    await openList(page)
    const submits = await countSubmits(page)
    const types = ['street_address', 'premise', 'subpremise', 'route']
    expect(asked.searches).toEqual([{ input: '12 Oak', types, regions: ['us'], session: 1 }])
    await list(page).getByRole('option', { name: '12 Oak Ave Boulder, CO' }).click()
    await expect(field(page)).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
    await expect(field(page)).toBeFocused()
    await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
    expect(asked.details).toEqual([
      { place: '12 Oak Ave, Boulder, CO', fields: ['formattedAddress'], session: 1 },
    ])
    expect(asked.searches).toHaveLength(1)

    // Each choice ends its session.
    await field(page).selectText()
    await typeInto(page, '7 Elm')
    await expect(options(page)).toHaveCount(5)
    expect(asked.searches.map(({ session }) => session)).toEqual([1, 2])
    await options(page).first().click()
    await expect.poll(() => asked.details.length).toBe(2)
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveValue('7 Elm')
    expect(await submits()).toBe(0)

    // Once the form is sent, the list is forgotten.
    await expectToSend(page)
    await expect(field(page)).toHaveValue('')
    await field(page).focus()
    await page.keyboard.press('ArrowDown')
    await expect(options(page)).toHaveCount(0)
  })

  test('never overwrite what is typed, and stop with the key', async ({ page }) => {
    const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
    const asked = await standInForGoogleMaps(page, { format: () => arrives.then(() => 'Too late') })
    await openList(page)
    await options(page).first().click()
    await page.keyboard.type('ley')
    arrive()
    await expect(options(page)).toHaveCount(5)
    await expect(field(page)).toHaveValue('12 Oakley')

    await asked.refuseKey()
    await expectPlainField(page)
    const { length } = asked.searches
    await expectToSend(page)
    expect(asked.searches).toHaveLength(length)
  })

  test('that come after the visitor has left do not open the list', async ({ page }) => {
    const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>()
    const asked = await standInForGoogleMaps(page, {
      answer: () => arrives.then(() => ['12 Oak St, Denver, CO']),
    })
    await reachCombobox(page)
    await typeInto(page, '12 Oak')
    await expect.poll(() => asked.searches.length).toBe(1)
    await page.keyboard.press('Tab')
    arrive()
    await asked.seeAnswers(1)
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveValue('12 Oak')
  })

  test('stop for good when Google refuses three times (over quota), silently', async ({ page }) => {
    const asked = await standInForGoogleMaps(page, {
      answer: () => {
        throw new Error('RESOURCE_EXHAUSTED: quota')
      },
    })
    await reachCombobox(page)
    for (const searches of [1, 2, 3]) {
      await typeInto(page, '12 Oak')
      await expect.poll(() => asked.searches.length).toBe(searches)
    }
    await expectPlainField(page)
    await expectToSend(page)
    expect(asked.searches).toHaveLength(3)
  })
})
