import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import AxeBuilder from '@axe-core/playwright'
import { serve } from '@hono/node-server'
import type { Page } from '@playwright/test'
import { Hono } from 'hono'
import { createStaticSite } from '../server/static-site.ts'
import { company, form as words } from '../site/content.ts'
import { standInForGoogleMaps } from '../testing/google-maps-stand-in.ts'
import { desktop, expect, phone, test as plain } from './test.ts'

/** The key is a matter of the build, so these tests have a build, and a server, of their own. */
const test = plain.extend<object, { siteWithKey: string }>({
  siteWithKey: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
    async ({}, use, { workerIndex }) => {
      const outDir = `test-results/site-with-key-${workerIndex}`
      const env = { ...process.env, VITE_GOOGLE_MAPS_API_KEY: 'a-key', NODE_ENV: 'production' }
      const vite = 'node_modules/vite/bin/vite.js'
      await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', outDir], { env })
      const app = new Hono().all('*', createStaticSite(outDir))
      const server = serve({ fetch: app.fetch, port: 0 })
      await once(server, 'listening')
      const address = server.address()
      await use(`http://localhost:${typeof address === 'object' ? address?.port : ''}`)
      server.close()
    },
    { scope: 'worker' },
  ],
  baseURL: ({ siteWithKey }, use) => use(siteWithKey),
})

test.use({ expectedHosts: /^maps\.googleapis\.com$/ })

const field = (page: Page) => page.getByLabel(words.labels.address)
const list = (page: Page) => page.getByRole('listbox', { name: words.suggestions.label })
const options = (page: Page) => list(page).getByRole('option')
const activeOption = (page: Page) => list(page).getByRole('option', { selected: true })
const announced = (page: Page) => page.locator('.field:has(#address)').getByRole('status')

/** Goes to the field and waits until it has become a combobox. */
async function reachCombobox(page: Page) {
  await page.goto('/')
  await field(page).focus()
  await expect(page.getByRole('combobox', { name: words.labels.address })).toBeFocused()
}

async function openList(page: Page) {
  await reachCombobox(page)
  await field(page).pressSequentially('12 Oak')
  await expect(options(page)).toHaveCount(5)
}

/** Counts what reaches the function. */
async function countLeads(page: Page) {
  const leads: unknown[] = []
  await page.route('**/functions/v1/submit-to-airtable', (route) => {
    leads.push(route.request().postDataJSON())
    return route.fulfill({ contentType: 'application/json', body: '{"ok":true}' })
  })
  return leads
}

/** Counts how often the form was submitted, whatever became of it. */
async function countSubmits(page: Page) {
  const form = await page.locator('#estimate form').evaluateHandle((form) => {
    const count = { submits: 0 }
    form.addEventListener('submit', () => count.submits++)
    return count
  })
  return () => form.evaluate(({ submits }) => submits)
}

async function expectPlainField(page: Page) {
  await expect(field(page)).not.toHaveAttribute('role')
  await expect(field(page)).not.toHaveAttribute('aria-expanded')
  await expect(field(page)).toBeEnabled()
  await expect(field(page)).toHaveAttribute('autocomplete', 'street-address')
  await expect(field(page)).toHaveAttribute('placeholder', words.placeholders.address)
  await expect(options(page)).toHaveCount(0)
}

/** Typing works, whatever became of the suggestions, and nothing but the text is in the field. */
async function expectToSend(page: Page, leads: unknown[]) {
  await page.getByLabel(words.labels.name).fill('Jane Doe')
  await page.getByLabel(words.labels.email).fill('jane@example.com')
  await page.getByLabel(words.labels.phone, { exact: true }).fill('(555) 123-4567')
  await field(page).fill('')
  await field(page).pressSequentially('1 Ridge Rd, Denver')
  await page.keyboard.press('Enter')
  await expect(page.getByText(words.toasts.received)).toBeVisible()
  expect(leads).toMatchObject([{ address: '1 Ridge Rd, Denver' }])
}

const hold = () => Promise.withResolvers<void>()

plain.describe('without a key', () => {
  plain('nothing is asked of Google and the field is plain', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    await page.goto('/')
    await field(page).pressSequentially('12 Oak')
    await page.waitForLoadState('networkidle')
    await expectPlainField(page)
    expect(asked.scripts).toEqual([])
    expect(scripts.filter((url) => url.includes('address-'))).toEqual([])
  })
})

test.describe('Google’s script', () => {
  test('is asked for at the first contact with the form, not before', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await page.goto('/')
    await page.mouse.move(20, 300)
    await page.mouse.wheel(0, 600)
    await page.getByRole('link', { name: company.phone }).first().focus()
    await page.waitForLoadState('networkidle')
    expect(asked.scripts).toEqual([])

    await page.getByLabel(words.labels.name).focus()
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
    await page.getByLabel(words.labels.email).focus()
    await field(page).focus()
    await expect(page.getByRole('combobox', { name: words.labels.address })).toBeVisible()
    expect(asked.scripts).toHaveLength(1)
  })

  test('may be late: typing goes on meanwhile, and value, caret and focus stay', async ({
    page,
  }) => {
    const { promise: arrives, resolve: arrive } = hold()
    const asked = await standInForGoogleMaps(page, { arrives })
    await page.goto('/')
    await field(page).pressSequentially('12 Ok')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => asked.scripts.length).toBe(1)
    await expectPlainField(page)
    const element = await field(page).elementHandle()
    arrive()
    await expect(page.getByRole('combobox', { name: words.labels.address })).toBeFocused()
    await page.keyboard.type('a')
    await expect(field(page)).toHaveValue('12 Oak')
    await expect(options(page)).toHaveCount(5)
    expect(await element?.evaluate((input) => input.isConnected)).toBe(true)
  })

  test.describe('when it fails', () => {
    // Chromium writes a line of its own for a request that was blocked.
    test.use({ expectedErrors: /Failed to load resource.*maps\.googleapis\.com/ })

    test('blocked: a plain field, silently', async ({ page }) => {
      const asked = await standInForGoogleMaps(page, { blocked: true })
      const leads = await countLeads(page)
      await page.goto('/')
      await field(page).focus()
      await expect.poll(() => asked.scripts.length).toBe(1)
      await expectPlainField(page)
      await expectToSend(page, leads)
      expect(asked.scripts).toHaveLength(1)
    })
  })

  test('without places: polled every 100 ms, for two minutes, then never again', async ({
    page,
  }) => {
    await page.clock.install()
    await standInForGoogleMaps(page, { offers: 'nothing' })
    await page.goto('/')
    await field(page).focus()
    await page.waitForFunction(() => 'google' in window)
    await page.evaluate(() => {
      const { google } = window as unknown as { google: { maps: object } }
      let polls = 0
      Object.defineProperty(google, 'maps', { get: () => ({ places: void polls++ }) })
      Object.assign(window, { countPolls: () => polls })
    })
    const countPolls = () =>
      page.evaluate(() => (window as unknown as { countPolls(): number }).countPolls())
    const before = await countPolls()
    await page.clock.runFor(1000)
    const perSecond = (await countPolls()) - before
    expect(perSecond).toBeGreaterThanOrEqual(10)
    expect(perSecond).toBeLessThanOrEqual(12)
    await page.clock.runFor(120_000)
    const atTheEnd = await countPolls()
    await page.clock.runFor(10_000)
    expect(await countPolls()).toBe(atTheEnd)
    await expectPlainField(page)
  })
})

test.describe('suggestions', () => {
  test('ask for addresses of the region, and a choice fills in the formatted one', async ({
    page,
  }) => {
    const asked = await standInForGoogleMaps(page)
    const leads = await countLeads(page)
    await openList(page)
    expect(asked.searches).toEqual([
      {
        input: '12 Oak',
        types: ['street_address', 'premise', 'subpremise', 'route'],
        regions: ['us'],
        session: 1,
      },
    ])
    await list(page).getByRole('option', { name: '12 Oak Ave Boulder, CO' }).click()
    await expect(field(page)).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
    await expect(field(page)).toBeFocused()
    await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
    expect(asked.details).toEqual([
      { place: '12 Oak Ave, Boulder, CO', fields: ['formattedAddress'], session: 1 },
    ])
    expect(asked.searches).toHaveLength(1)
    expect(leads).toEqual([])
  })

  test('take a new session after each choice', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await openList(page)
    await options(page).first().click()
    await expect(field(page)).toHaveValue(/USA$/)
    await field(page).selectText()
    await page.keyboard.type('7 Elm')
    await expect(options(page)).toHaveCount(5)
    expect(asked.searches.map(({ session }) => session)).toEqual([1, 2])
  })

  test('of a place without a formatted address leave the field as it is', async ({ page }) => {
    const asked = await standInForGoogleMaps(page, { format: () => null })
    await openList(page)
    await options(page).first().click()
    await expect.poll(() => asked.details.length).toBe(1)
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveValue('12 Oak')
  })

  test('never overwrite what is typed while a choice is looked up', async ({ page }) => {
    const { promise: arrives, resolve: arrive } = hold()
    await standInForGoogleMaps(page, { format: () => arrives.then(() => 'Too late') })
    await openList(page)
    await options(page).first().click()
    await page.keyboard.type('ley')
    arrive()
    await expect(options(page)).toHaveCount(5)
    await expect(field(page)).toHaveValue('12 Oakley')
  })

  test('that come late are dropped', async ({ page }) => {
    const { promise: arrives, resolve: arrive } = hold()
    const asked = await standInForGoogleMaps(page, {
      answer: (input) =>
        input === '12 Oak' ? arrives.then(() => ['12 Oak St, Denver, CO']) : ['12 Oakley Way, CO'],
    })
    await reachCombobox(page)
    await field(page).pressSequentially('12 Oak')
    await expect.poll(() => asked.searches.length).toBe(1)
    await field(page).pressSequentially('ley')
    await expect(options(page)).toHaveText(['12 Oakley Way CO'])
    arrive()
    await asked.seeAnswers(2)
    await expect(options(page)).toHaveText(['12 Oakley Way CO'])
  })

  test('that come after the visitor has left do not open the list', async ({ page }) => {
    const { promise: arrives, resolve: arrive } = hold()
    const asked = await standInForGoogleMaps(page, {
      answer: () => arrives.then(() => ['12 Oak St, Denver, CO']),
    })
    await reachCombobox(page)
    await field(page).pressSequentially('12 Oak')
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
    const leads = await countLeads(page)
    await reachCombobox(page)
    for (const searches of [1, 2, 3]) {
      await field(page).pressSequentially('12 Oak')
      await expect.poll(() => asked.searches.length).toBe(searches)
    }
    await expectPlainField(page)
    await expectToSend(page, leads)
    expect(asked.searches).toHaveLength(3)
  })

  test('stop when the key is refused after all', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    const leads = await countLeads(page)
    await openList(page)
    await asked.refuseKey()
    await expectPlainField(page)
    await expectToSend(page, leads)
    expect(asked.searches).toHaveLength(1)
  })
})

test.describe('with the keyboard alone', () => {
  test('the arrows walk round, Enter chooses and does not submit, a second Enter does', async ({
    page,
  }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    const submits = await countSubmits(page)
    await expect(activeOption(page)).toHaveCount(0)
    await page.keyboard.press('ArrowDown')
    await expect(activeOption(page)).toHaveText('12 Oak St Denver, CO')
    await page.keyboard.press('ArrowUp')
    await expect(activeOption(page)).toHaveText('12 Oak Creek Ln Littleton, CO')
    const id = await activeOption(page).getAttribute('id')
    await expect(field(page)).toHaveAttribute('aria-activedescendant', id ?? '')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect(activeOption(page)).toHaveText('12 Oak Ave Boulder, CO')
    await expect(field(page)).toBeFocused()
    await expect(field(page)).toHaveValue('12 Oak')

    await page.keyboard.press('Enter')
    await expect(field(page)).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
    await expect(options(page)).toHaveCount(0)
    expect(await submits()).toBe(0)

    await page.keyboard.press('Enter')
    expect(await submits()).toBe(1)
  })

  test('Enter without a chosen option submits, as in any field', async ({ page }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    await page.keyboard.press('Enter')
    await expect(page.getByText(words.toasts.incomplete)).toBeVisible()
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveValue('12 Oak')
  })

  test('Escape closes and keeps the text, a second one harms nothing, an arrow reopens', async ({
    page,
  }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
    await expect(field(page)).not.toHaveAttribute('aria-activedescendant')
    await page.keyboard.press('Escape')
    await expect(field(page)).toHaveValue('12 Oak')
    await expect(field(page)).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(activeOption(page)).toHaveText('12 Oak Creek Ln Littleton, CO')
  })

  test('Home and End move in the text, and Enter then means the form', async ({ page }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Home')
    await expect(activeOption(page)).toHaveCount(0)
    const caret = () => field(page).evaluate((input: HTMLInputElement) => input.selectionStart)
    expect(await caret()).toBe(0)
    await page.keyboard.press('End')
    expect(await caret()).toBe(6)
    await expect(options(page)).toHaveCount(5)
  })

  test('Tab keeps what was typed and goes to the next field', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await openList(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await expect(page.getByLabel(words.labels.serviceType)).toBeFocused()
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveValue('12 Oak')
    expect(asked.details).toEqual([])
  })

  test('an input method keeps its Enter', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await openList(page)
    await page.keyboard.press('ArrowDown')
    await field(page).evaluate((input) =>
      input.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }),
      ),
    )
    await expect(activeOption(page)).toHaveCount(1)
    expect(asked.details).toEqual([])
  })
})

test.describe('for a screen reader', () => {
  test('the field is a combobox with a named list, and the count is announced', async ({
    page,
  }) => {
    await standInForGoogleMaps(page)
    await reachCombobox(page)
    await expect(announced(page)).toHaveText('')
    await field(page).pressSequentially('12 Oak')
    await expect(announced(page)).toHaveText('5 suggestions')
    await page.keyboard.press('ArrowDown')
    await expect(page.locator('.field', { has: field(page) })).toMatchAriaSnapshot(`
      - text: Property address
      - combobox "Property address" [expanded] [active]: 12 Oak
      - listbox "Address suggestions":
        - option "12 Oak St Denver, CO" [selected]
        - option "12 Oak Ave Boulder, CO"
        - option "12 Oakland Dr Aurora, CO"
        - option "12 Oakwood Ct Golden, CO"
        - option "12 Oak Creek Ln Littleton, CO"
      - paragraph: Google Maps
      - status: 5 suggestions
    `)
    await expect(field(page)).toHaveAttribute('aria-autocomplete', 'list')
    const listId = await list(page).getAttribute('id')
    await expect(field(page)).toHaveAttribute('aria-controls', listId ?? '')
    await page.keyboard.press('Enter')
    await expect(announced(page)).toHaveText('Filled in: 12 Oak St, Denver, CO 80202, USA')
  })

  for (const [count, text] of [
    [0, 'No suggestions'],
    [1, '1 suggestion'],
  ] as const) {
    test(`"${text}" is announced too`, async ({ page }) => {
      await standInForGoogleMaps(page, { answer: () => Array(count).fill('1 Oak St, CO') })
      await reachCombobox(page)
      await field(page).pressSequentially('1 Oak')
      await expect(announced(page)).toHaveText(text)
      await expect(options(page)).toHaveCount(count)
    })
  }

  test('an error at the field is told beside it', async ({ page }) => {
    await standInForGoogleMaps(page)
    await reachCombobox(page)
    await page.keyboard.press('Enter')
    await expect(field(page)).toHaveAccessibleDescription('Please enter your address.')
    await field(page).focus()
    await field(page).pressSequentially('12 Oak')
    await expect(field(page)).not.toHaveAttribute('aria-invalid')
    await expect(options(page)).toHaveCount(5)
  })

  for (const screen of [phone, desktop]) {
    test(`axe finds nothing with the list open at ${screen.width} px`, async ({ page }) => {
      await page.setViewportSize(screen)
      await standInForGoogleMaps(page)
      await openList(page)
      await page.keyboard.press('ArrowDown')
      const { violations } = await new AxeBuilder({ page }).include('#estimate').analyze()
      expect(violations).toEqual([])
    })
  }
})

test.describe('the list', () => {
  const longAddresses = [1, 2, 3, 4, 5].map(
    (unit) => `12${unit} Old Oakwood Hollow Court Southwest, Highlands Ranch, CO`,
  )

  for (const screen of [
    { width: 320, height: 640 },
    phone,
    { width: 1366, height: 600 },
    desktop,
  ]) {
    test(`fits at ${screen.width} × ${screen.height} px, with options tall enough for a thumb`, async ({
      page,
    }) => {
      await page.setViewportSize(screen)
      await standInForGoogleMaps(page, { answer: () => longAddresses })
      await openList(page)
      const input = await field(page).boundingBox()
      const shown = await page.locator('.suggestions').boundingBox()
      if (!input || !shown) throw new Error('not shown')
      expect(shown.x).toBeCloseTo(input.x, 0)
      expect(shown.width).toBeCloseTo(input.width, 0)
      expect(shown.y - input.y - input.height).toBeLessThan(8)
      for (const option of await options(page).all()) {
        expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44)
      }
      await expect(page.locator('.suggestions')).toContainText('Google Maps')
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(screen.width)
      // Field and list are on the screen, and nothing of the page cuts them off or covers them.
      for (const part of [field(page), page.locator('.suggestions > p')]) {
        const onTop = await part.evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          const corners = [y + 2, y + height - 2].map((top) =>
            document.elementFromPoint(x + width / 2, top),
          )
          return corners.every((corner) => corner === element)
        })
        expect(onTop).toBe(true)
      }
    })
  }

  test('closes when the visitor goes elsewhere', async ({ page }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    await page.getByRole('heading', { level: 1 }).click()
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveValue('12 Oak')
  })

  test('is forgotten once the form is sent', async ({ page }) => {
    await standInForGoogleMaps(page)
    const leads = await countLeads(page)
    await openList(page)
    await expectToSend(page, leads)
    await expect(field(page)).toHaveValue('')
    await field(page).focus()
    await page.keyboard.press('ArrowDown')
    await expect(options(page)).toHaveCount(0)
  })

  test('closes when too little text is left', async ({ page }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    for (let press = 0; press < 4; press++) await page.keyboard.press('Backspace')
    await expect(options(page)).toHaveCount(0)
    await expect(announced(page)).toHaveText('')
  })

  test('takes a tap', async ({ browser, siteWithKey }) => {
    const context = await browser.newContext({
      baseURL: siteWithKey,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    })
    const page = await context.newPage()
    await standInForGoogleMaps(page)
    await openList(page)
    await options(page).nth(2).tap()
    await expect(field(page)).toHaveValue('12 Oakland Dr, Aurora, CO 80202, USA')
    await expect(field(page)).toBeFocused()
    await context.close()
  })
})

test.describe('autofill', () => {
  async function expectNoList(page: Page) {
    await page.clock.runFor(2000)
    await expect(options(page)).toHaveCount(0)
    await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
  }

  test('by Chrome itself fills the form and opens no list', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await reachCombobox(page)
    await page.clock.install()
    const devtools = await page.context().newCDPSession(page)
    const { root } = await devtools.send('DOM.getDocument')
    const found = await devtools.send('DOM.querySelector', {
      nodeId: root.nodeId,
      selector: '[autocomplete="street-address"]',
    })
    const { node } = await devtools.send('DOM.describeNode', found)
    const address = {
      fields: [
        { name: 'NAME_FULL', value: 'Jane Doe' },
        { name: 'EMAIL_ADDRESS', value: 'jane@example.com' },
        { name: 'ADDRESS_HOME_STREET_ADDRESS', value: '9 Elm St' },
        { name: 'ADDRESS_HOME_CITY', value: 'Denver' },
        { name: 'ADDRESS_HOME_COUNTRY', value: 'US' },
      ],
    }
    const request = { fieldId: node.backendNodeId, address }
    await devtools.send('Autofill.trigger', request as never)
    await expect(field(page)).toHaveValue('9 Elm St')
    await expect(page.getByLabel(words.labels.name)).toHaveValue('Jane Doe')
    await expectNoList(page)
    expect(asked.searches).toEqual([])
  })

  test('by Firefox or Safari closes the list and asks no more', async ({ page }) => {
    const asked = await standInForGoogleMaps(page)
    await openList(page)
    await page.clock.install()
    await field(page).evaluate((input: HTMLInputElement) => {
      input.value = '9 Elm St'
      const inputType = 'insertReplacementText'
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType, data: '9 Elm St' }))
    })
    await expectNoList(page)
    await expect(field(page)).toHaveValue('9 Elm St')
    expect(asked.searches).toHaveLength(1)
  })
})

test.describe('where only the old widget exists', () => {
  const oldList = (page: Page) => page.locator('.pac-container')

  async function openOldList(page: Page) {
    await page.goto('/')
    await field(page).focus()
    await expect(oldList(page)).toBeAttached()
    await field(page).pressSequentially('12 Oak')
    await expect(oldList(page)).toBeVisible()
  }

  test('it is attached for addresses only, and fills in the formatted address', async ({
    page,
  }) => {
    const asked = await standInForGoogleMaps(page, { offers: 'old' })
    await openOldList(page)
    expect(asked.searches.at(-1)).toMatchObject({ types: ['address'], regions: ['us'] })
    await oldList(page).getByText('12 Oak Ave').click()
    await expect(field(page)).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
    expect(asked.details).toMatchObject([{ fields: ['formatted_address'] }])
  })

  test('Enter on its list chooses and does not submit', async ({ page }) => {
    await standInForGoogleMaps(page, { offers: 'old' })
    await openOldList(page)
    const submits = await countSubmits(page)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(field(page)).toHaveValue('12 Oak St, Denver, CO 80202, USA')
    expect(await submits()).toBe(0)
    await page.keyboard.press('Enter')
    expect(await submits()).toBe(1)
  })

  test('Enter on nothing in particular leaves what was typed', async ({ page }) => {
    await standInForGoogleMaps(page, { offers: 'old' })
    await openOldList(page)
    const submits = await countSubmits(page)
    await page.keyboard.press('Enter')
    await expect(oldList(page)).toBeHidden()
    await expect(field(page)).toHaveValue('12 Oak')
    expect(await submits()).toBe(0)
  })

  test('it does not switch autofill off', async ({ page }) => {
    await standInForGoogleMaps(page, { offers: 'old' })
    await openOldList(page)
    await expect(field(page)).toHaveAttribute('autocomplete', 'street-address')
  })

  test('a refused key does not disable the field', async ({ page }) => {
    const asked = await standInForGoogleMaps(page, { offers: 'old' })
    await openOldList(page)
    await asked.refuseKey()
    await expectPlainField(page)
    await expect(field(page)).not.toHaveClass(/gm-err/)
    await expect(field(page)).not.toHaveAttribute('style')
    await field(page).fill('1 Ridge Rd, Denver')
    await expect(field(page)).toHaveValue('1 Ridge Rd, Denver')
  })
})
