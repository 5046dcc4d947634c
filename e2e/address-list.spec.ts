import { fakeGoogleMaps } from '#fakes/google-maps.ts'
import { fill } from '#leads/fill.ts'
import { test } from './address.ts'
import { form as words } from './content.ts'
import { expect, expectAccessible } from './test.ts'

test('supports the keyboard: arrow keys wrap around, Escape closes the list, Tab leaves it', async ({
  page,
  form,
  address,
}) => {
  const { field, options, active, pressKeys } = address
  const google = await fakeGoogleMaps(page)
  await address.openList()
  await expect(active).toHaveCount(0)
  await pressKeys('ArrowDown')
  await expect(active).toHaveText('12 Oak St Denver, CO')
  await pressKeys('ArrowUp')
  await expect(active).toHaveText('12 Oak Creek Ln Littleton, CO')
  const id = await active.getAttribute('id')
  await expect(field).toHaveAttribute('aria-activedescendant', id ?? '')
  await pressKeys('ArrowDown')
  await expect(active).toHaveText('12 Oak St Denver, CO')

  // During composition, Enter controls the input method.
  await field.evaluate((input) => {
    const enter = { key: 'Enter', isComposing: true, bubbles: true }
    input.dispatchEvent(new KeyboardEvent('keydown', enter))
  })
  await expect(active).toHaveCount(1)

  const caret = () => field.evaluate((input: HTMLInputElement) => input.selectionStart)
  await pressKeys('Home')
  await expect(active).toHaveCount(0)
  expect(await caret()).toBe(0)
  await pressKeys('End')
  expect(await caret()).toBe(6)
  await expect(options).toHaveCount(5)

  await pressKeys('ArrowDown', 'Escape')
  await expect(options).toHaveCount(0)
  await expect(field).toHaveAttribute('aria-expanded', 'false')
  await expect(field).not.toHaveAttribute('aria-activedescendant')
  // A second Escape changes nothing. An arrow key reopens the list.
  await pressKeys('Escape')
  await expect(field).toHaveValue('12 Oak')
  await expect(field).toBeFocused()
  await pressKeys('ArrowUp')
  await expect(active).toHaveText('12 Oak Creek Ln Littleton, CO')

  await pressKeys('Tab')
  await expect(form.serviceType).toBeFocused()
  await expect(options).toHaveCount(0)
  await expect(field).toHaveValue('12 Oak')
  expect(google.details).toEqual([])

  // The list closes when the text gets too short, and when Enter submits the form.
  await field.focus()
  await pressKeys('End', 'Backspace')
  await expect(options).toHaveCount(5)
  await pressKeys('Backspace', 'Backspace', 'Backspace')
  await expect(options).toHaveCount(0)
  await expect(address.announced).toHaveText('')
  await address.type(' Elm')
  await expect(options).toHaveCount(5)
  const submits = await address.countSubmits()
  await pressKeys('Enter')
  await expect(options).toHaveCount(0)
  await expect(field).toHaveValue('12 Elm')
  expect(await submits()).toBe(1)
})

test('announces the combobox, its list, and the number of suggestions to screen readers', async ({
  page,
  address,
}) => {
  const { field, options, list, announced } = address
  const google = await fakeGoogleMaps(page, {
    answer: (input) => ({ '1 Oak': ['1 Oak St, CO'], '1 Oak 9': [] })[input],
  })
  await address.focusCombobox()
  await expect(announced).toHaveText('')
  await address.type('1 Oak')
  await expect(announced).toHaveText('1 suggestion')
  await address.type(' 9')
  await expect(announced).toHaveText('No suggestions')
  await expect(options).toHaveCount(0)
  await field.fill('')
  await address.type('12 Oak')
  await expect(announced).toHaveText('5 suggestions')
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('.field', { has: page.locator('#address') })).toMatchAriaSnapshot(`
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
  await expect(field).toHaveAttribute('aria-autocomplete', 'list')
  const listId = await list.getAttribute('id')
  await expect(field).toHaveAttribute('aria-controls', listId ?? '')
  await expectAccessible(page, '#estimate')
  // The first Enter chooses the option, and the second one submits the form.
  const submits = await address.countSubmits()
  await address.pressKeys('Enter')
  await expect(announced).toHaveText(
    fill(words.suggestions.chosen, { address: '12 Oak St, Denver, CO 80202, USA' }),
  )
  await expect(field).toBeFocused()
  expect(await submits()).toBe(0)
  await address.pressKeys('Enter')
  expect(await submits()).toBe(1)

  // Autofill closes the list and sends no request. field-input.test.ts covers each browser's events.
  await field.fill('')
  await address.type('12 Oak')
  await expect(options).toHaveCount(5)
  const { length } = google.searches
  await page.clock.install()
  await field.evaluate((input: HTMLInputElement) => {
    input.value = '9 Elm St'
    input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: '' }))
  })
  await page.clock.runFor(2000)
  await expect(options).toHaveCount(0)
  await expect(field).toHaveAttribute('aria-expanded', 'false')
  await expect(field).toHaveValue('9 Elm St')
  expect(google.searches).toHaveLength(length)
})

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true })

  test('fits the list and its field on the screen, even with long addresses', async ({
    page,
    address,
  }) => {
    const { field, options } = address
    // These addresses are too long for every screen below in any font.
    const words = 'Old Oakwood Hollow Court Southwest '.repeat(9)
    const addresses = [1, 2, 3, 4, 5].map((unit) => `12${unit} ${words}, Highlands Ranch, CO`)
    await fakeGoogleMaps(page, {
      answer: (input) => (input === '12 Oak' ? addresses : ['1 Oak St, CO']),
    })
    await address.openList()
    for (const screen of [
      { width: 1366, height: 600 },
      { width: 320, height: 640 },
    ]) {
      await page.setViewportSize(screen)
      // Opening the list scrolls it into view.
      await address.pressKeys('Escape', 'ArrowUp')
      const input = await field.boundingBox()
      const shown = await page.locator('.suggestions').boundingBox()
      if (!input || !shown) throw new Error('The list is not visible.')
      expect(shown.x).toBeCloseTo(input.x, 0)
      expect(shown.width).toBeCloseTo(input.width, 0)
      expect(shown.y - input.y - input.height).toBeLessThan(8)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(screen.width)
      // Nothing clips or covers the field and the list.
      for (const part of [field, page.locator('.suggestions > p')]) {
        const onTop = () =>
          part.evaluate((element) => {
            const { x, y, width, height } = element.getBoundingClientRect()
            return [y + 2, y + height - 2].every(
              (top) => document.elementFromPoint(x + width / 2, top) === element,
            )
          })
        await expect.poll(onTop, `${screen.width} × ${screen.height}`).toBe(true)
      }
      // The up arrow key has moved to the last option.
      await expect(address.active).toBeInViewport()
    }

    // An option with one line is still tall enough to tap.
    await address.type('x')
    await expect(options).toHaveCount(1)
    expect((await options.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await options.tap()
    await expect(field).toHaveValue('1 Oak St, CO 80202, USA')
    await expect(field).toBeFocused()
  })
})
