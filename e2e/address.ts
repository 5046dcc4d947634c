import { once } from 'node:events'
import { serve } from '@hono/node-server'
import type { Page } from '@playwright/test'
import { Hono } from 'hono'
import { createStaticSite } from '#server/static-site.ts'
import { form as words } from '#site/content.ts'
import { answerWith, fields, fillIn, toast, visitor } from './form.ts'
import { siteWithKeyDir } from './site.ts'
import { expect, test as plain } from './test.ts'

/** On the site that has a key for Google's suggestions. */
export const test = plain.extend<object, { siteWithKey: string }>({
  siteWithKey: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern here
    async ({}, use) => {
      const app = new Hono().all('*', createStaticSite(siteWithKeyDir))
      const server = serve({ fetch: app.fetch, port: 0 })
      await once(server, 'listening')
      const address = server.address()
      await use(`http://localhost:${typeof address === 'object' ? address?.port : ''}`)
      server.close()
    },
    { scope: 'worker' },
  ],
  baseURL: ({ siteWithKey }, use) => use(siteWithKey),
  expectedHosts: /^maps\.googleapis\.com$/,
})

export const field = (page: Page) => fields(page).address
export const combobox = (page: Page) => page.getByRole('combobox', { name: words.labels.address })
export const list = (page: Page) => page.getByRole('listbox', { name: words.suggestions.label })
export const options = (page: Page) => list(page).getByRole('option')
export const announced = (page: Page) => page.locator('.field:has(#address)').getByRole('status')

/** Goes to the field and waits until it has become a combobox. */
export async function reachCombobox(page: Page) {
  await page.goto('/')
  await field(page).focus()
  await expect(combobox(page)).toBeFocused()
}

/** Types at one go: slow keys would be several searches. */
export async function typeInto(page: Page, text: string) {
  await field(page).focus()
  await page.keyboard.insertText(text)
}

export async function openList(page: Page) {
  await reachCombobox(page)
  await typeInto(page, '12 Oak')
  await expect(options(page)).toHaveCount(5)
}

/** Counts how often the form was submitted, whatever became of it. */
export async function countSubmits(page: Page) {
  const form = await page.locator('#estimate form').evaluateHandle((form) => {
    const count = { submits: 0 }
    form.addEventListener('submit', () => count.submits++)
    return count
  })
  return () => form.evaluate(({ submits }) => submits)
}

export async function expectPlainField(page: Page) {
  for (const attribute of ['role', 'aria-expanded'])
    await expect(field(page)).not.toHaveAttribute(attribute)
  await expect(field(page)).toBeEnabled()
  await expect(field(page)).toHaveAttribute('autocomplete', 'street-address')
  await expect(field(page)).toHaveAttribute('placeholder', words.placeholders.address)
  await expect(options(page)).toHaveCount(0)
}

/** Typing works, whatever became of the suggestions, and nothing but the text is in the field. */
export async function expectToSend(page: Page) {
  const requests = await answerWith(page, { status: 200 })
  await fillIn(page, { ...visitor, address: '' })
  await typeInto(page, '1 Ridge Rd, Denver')
  await page.keyboard.press('Enter')
  await expect(toast(page, words.toasts.received)).toBeVisible()
  expect(requests.map((request) => request.postDataJSON().address)).toEqual(['1 Ridge Rd, Denver'])
}
