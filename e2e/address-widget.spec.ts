import type { Page } from '@playwright/test'
import { standInForGoogleMaps } from '#demo/google-maps-stand-in.ts'
import { countSubmits, expectPlainField, field, test, typeInto } from './address.ts'
import { expect } from './test.ts'

// Where a key's project has only Google's old widget.

const oldList = (page: Page) => page.locator('.pac-container')

async function openOldList(page: Page) {
  await page.goto('/')
  await field(page).focus()
  await expect(oldList(page)).toBeAttached()
  await typeIntoOldList(page)
}

async function typeIntoOldList(page: Page) {
  await field(page).fill('')
  await typeInto(page, '12 Oak')
  await expect(oldList(page)).toBeVisible()
}

test('it offers addresses only; Enter on its list does not submit', async ({ page }) => {
  const asked = await standInForGoogleMaps(page, { offers: 'old' })
  await openOldList(page)
  const submits = await countSubmits(page)
  expect(asked.searches.at(-1)).toMatchObject({ types: ['address'], regions: ['us'] })
  // The widget alone would switch autofill off.
  await expect(field(page)).toHaveAttribute('autocomplete', 'street-address')
  await oldList(page).getByText('12 Oak Ave').click()
  await expect(field(page)).toHaveValue('12 Oak Ave, Boulder, CO 80202, USA')
  expect(asked.details).toMatchObject([{ fields: ['formatted_address'] }])

  // On nothing in particular it leaves what was typed.
  await typeIntoOldList(page)
  await page.keyboard.press('Enter')
  await expect(oldList(page)).toBeHidden()
  await expect(field(page)).toHaveValue('12 Oak')

  await typeIntoOldList(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(field(page)).toHaveValue('12 Oak St, Denver, CO 80202, USA')
  expect(await submits()).toBe(0)
  await page.keyboard.press('Enter')
  expect(await submits()).toBe(1)
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
