import type { Page } from '@playwright/test'
import { form as words } from './content.ts'
import { findForm, visitor } from './form.ts'
import { serveSite, siteWithKeyDir } from './site.ts'
import { expect, test as plain } from './test.ts'

type Fixtures = { address: ReturnType<typeof findAddress> }

/** For tests of a site that was built with a key for Google's address suggestions. */
export const test = plain.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructuring pattern
  baseURL: async ({}, use) => {
    const site = await serveSite({ HOST: '127.0.0.1' }, { folder: siteWithKeyDir })
    await use(`http://127.0.0.1:${site.port}`)
    await site.stop()
  },
  expectedHosts: /^maps\.googleapis\.com$/,
  address: ({ page }, use) => use(findAddress(page)),
})

/** The address field, its list, and helpers for tests. */
export function findAddress(page: Page) {
  const form = findForm(page)
  const field = form.address
  const list = page.getByRole('listbox', { name: words.suggestions.label })
  const options = list.getByRole('option')
  const combobox = page.getByRole('combobox', { name: words.labels.address })

  /** Inserts the text in one step, because slow typing would cause several searches. */
  async function type(text: string) {
    await field.focus()
    await page.keyboard.insertText(text)
  }
  /** Focuses the field and waits until it becomes a combobox. */
  async function focusCombobox() {
    await page.goto('/')
    await field.focus()
    await expect(combobox).toBeFocused()
  }
  return {
    field,
    list,
    options,
    combobox,
    active: list.getByRole('option', { selected: true }),
    announced: page.locator('.field:has(#address)').getByRole('status'),
    type,
    focusCombobox,

    async openList() {
      await focusCombobox()
      await type('12 Oak')
      await expect(options).toHaveCount(5)
    },

    async pressKeys(...keys: string[]) {
      for (const key of keys) await page.keyboard.press(key)
    },

    /** Counts submit events, whether or not the form was sent. */
    async countSubmits() {
      const count = await form.form.evaluateHandle((form) => {
        const count = { submits: 0 }
        form.addEventListener('submit', () => count.submits++)
        return count
      })
      return () => count.evaluate(({ submits }) => submits)
    },

    async expectPlain() {
      for (const attribute of ['role', 'aria-expanded'])
        await expect(field).not.toHaveAttribute(attribute)
      await expect(field).toBeEnabled()
      await expect(field).toHaveAttribute('autocomplete', 'street-address')
      await expect(field).toHaveAttribute('placeholder', words.placeholders.address)
      await expect(options).toHaveCount(0)
    },

    /** Expects that a typed address can be submitted and that the field contains only that text. */
    async expectTypedAddressSent() {
      const requests = await form.answerWith({ status: 200 })
      await form.fillIn({ ...visitor, address: '' })
      await type('1 Ridge Rd, Denver')
      await page.keyboard.press('Enter')
      const readAddresses = () => requests.map((request) => request.postDataJSON().address)
      await expect.poll(readAddresses).toEqual(['1 Ridge Rd, Denver'])
      // The form is cleared after a success.
      await expect(field).toHaveValue('')
    },
  }
}
