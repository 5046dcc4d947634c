import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { standInForGoogleMaps } from '#demo/google-maps-stand-in.ts'
import {
  announced,
  countSubmits,
  field,
  list,
  openList,
  options,
  reachCombobox,
  test,
  typeInto,
} from './address.ts'
import { fields } from './form.ts'
import { desktop, expect, phone } from './test.ts'

const activeOption = (page: Page) => list(page).getByRole('option', { selected: true })

test('the keyboard walks round the list, closes it and leaves it', async ({ page }) => {
  const asked = await standInForGoogleMaps(page)
  await openList(page)
  await expect(activeOption(page)).toHaveCount(0)
  await page.keyboard.press('ArrowDown')
  await expect(activeOption(page)).toHaveText('12 Oak St Denver, CO')
  await page.keyboard.press('ArrowUp')
  await expect(activeOption(page)).toHaveText('12 Oak Creek Ln Littleton, CO')
  const id = await activeOption(page).getAttribute('id')
  await expect(field(page)).toHaveAttribute('aria-activedescendant', id ?? '')
  await page.keyboard.press('ArrowDown')
  await expect(activeOption(page)).toHaveText('12 Oak St Denver, CO')

  // An input method keeps its Enter.
  await field(page).evaluate((input) =>
    input.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }),
    ),
  )
  await expect(activeOption(page)).toHaveCount(1)

  const caret = () => field(page).evaluate((input: HTMLInputElement) => input.selectionStart)
  await page.keyboard.press('Home')
  await expect(activeOption(page)).toHaveCount(0)
  expect(await caret()).toBe(0)
  await page.keyboard.press('End')
  expect(await caret()).toBe(6)
  await expect(options(page)).toHaveCount(5)

  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await expect(options(page)).toHaveCount(0)
  await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
  await expect(field(page)).not.toHaveAttribute('aria-activedescendant')
  // A second one harms nothing, and an arrow brings the list back.
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveValue('12 Oak')
  await expect(field(page)).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(activeOption(page)).toHaveText('12 Oak Creek Ln Littleton, CO')

  await page.keyboard.press('Tab')
  await expect(fields(page).serviceType).toBeFocused()
  await expect(options(page)).toHaveCount(0)
  await expect(field(page)).toHaveValue('12 Oak')
  expect(asked.details).toEqual([])

  // It closes when too little text is left, and when the visitor goes elsewhere.
  await field(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  await expect(options(page)).toHaveCount(5)
  for (let press = 0; press < 3; press++) await page.keyboard.press('Backspace')
  await expect(options(page)).toHaveCount(0)
  await expect(announced(page)).toHaveText('')
  await typeInto(page, ' Elm')
  await expect(options(page)).toHaveCount(5)
  await page.getByRole('heading', { level: 1 }).click()
  await expect(options(page)).toHaveCount(0)
  await expect(field(page)).toHaveValue('12 Elm')
})

test('Enter submits as in any field, but on an option chooses it', async ({ page }) => {
  await standInForGoogleMaps(page)
  await reachCombobox(page)
  const submits = await countSubmits(page)
  await page.keyboard.press('Enter')
  await expect(field(page)).toHaveAccessibleDescription('Please enter your address.')
  await typeInto(page, '12 Oak')
  await expect(field(page)).not.toHaveAttribute('aria-invalid')
  await expect(options(page)).toHaveCount(5)
  await page.keyboard.press('Enter')
  await expect(options(page)).toHaveCount(0)
  await expect(field(page)).toHaveValue('12 Oak')
  expect(await submits()).toBe(2)

  await field(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.type('l')
  await expect(options(page)).toHaveCount(5)
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect(field(page)).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
  await expect(options(page)).toHaveCount(0)
  await expect(field(page)).toBeFocused()
  expect(await submits()).toBe(2)
  await page.keyboard.press('Enter')
  expect(await submits()).toBe(3)
})

test('a screen reader hears of a combobox, its list and their count', async ({ page }) => {
  await standInForGoogleMaps(page, {
    answer: (input) => ({ '1 Oak': ['1 Oak St, CO'], '1 Oak 9': [] })[input],
  })
  await reachCombobox(page)
  await expect(announced(page)).toHaveText('')
  await typeInto(page, '1 Oak')
  await expect(announced(page)).toHaveText('1 suggestion')
  await typeInto(page, ' 9')
  await expect(announced(page)).toHaveText('No suggestions')
  await expect(options(page)).toHaveCount(0)
  await field(page).fill('')
  await typeInto(page, '12 Oak')
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
  const { violations } = await new AxeBuilder({ page }).include('#estimate').analyze()
  expect(violations).toEqual([])
  await page.keyboard.press('Enter')
  await expect(announced(page)).toHaveText('Filled in: 12 Oak St, Denver, CO 80202, USA')
})

test('the list fits on the screen with its field, however long its words are', async ({ page }) => {
  // Taller than any of these screens in any font.
  const words = 'Old Oakwood Hollow Court Southwest '.repeat(9)
  const addresses = [1, 2, 3, 4, 5].map((unit) => `12${unit} ${words}, Highlands Ranch, CO`)
  await standInForGoogleMaps(page, {
    answer: (input) => (input === '12 Oak' ? addresses : ['1 Oak St, CO']),
  })
  await openList(page)
  const short = { width: 1366, height: 600 }
  for (const screen of [{ width: 320, height: 640 }, phone, short, desktop]) {
    await page.setViewportSize(screen)
    // It is brought into view when it opens.
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    const input = await field(page).boundingBox()
    const shown = await page.locator('.suggestions').boundingBox()
    if (!input || !shown) throw new Error('not shown')
    expect(shown.x).toBeCloseTo(input.x, 0)
    expect(shown.width).toBeCloseTo(input.width, 0)
    expect(shown.y - input.y - input.height).toBeLessThan(8)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(screen.width)
    // Nothing of the page cuts field and list off or covers them.
    for (const part of [field(page), page.locator('.suggestions > p')]) {
      const onTop = () =>
        part.evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          return [y + 2, y + height - 2].every(
            (top) => document.elementFromPoint(x + width / 2, top) === element,
          )
        })
      await expect.poll(onTop, `${screen.width} × ${screen.height}`).toBe(true)
    }
    // The last one, which an arrow has reached.
    await expect(activeOption(page)).toBeInViewport()
  }

  // One line is still tall enough for a thumb.
  await typeInto(page, 'x')
  await expect(options(page)).toHaveCount(1)
  expect((await options(page).boundingBox())?.height).toBeGreaterThanOrEqual(44)
})

test.describe('on a phone', () => {
  test.use({ viewport: phone, hasTouch: true, isMobile: true })

  test('the list takes a tap', async ({ page }) => {
    await standInForGoogleMaps(page)
    await openList(page)
    await options(page).nth(2).tap()
    await expect(field(page)).toHaveValue('12 Oakland Dr, Aurora, CO 80202, USA')
    await expect(field(page)).toBeFocused()
  })
})

// What each browser's looks like: field-input.test.ts.
test('autofill closes the list and asks no more', async ({ page }) => {
  const asked = await standInForGoogleMaps(page)
  await openList(page)
  await page.clock.install()
  await field(page).evaluate((input: HTMLInputElement) => {
    input.value = '9 Elm St'
    input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: '' }))
  })
  await page.clock.runFor(2000)
  await expect(options(page)).toHaveCount(0)
  await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
  await expect(field(page)).toHaveValue('9 Elm St')
  expect(asked.searches).toHaveLength(1)
})
