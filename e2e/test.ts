import { test as base, expect, type Page } from '@playwright/test'

/** Every browser test fails on a console error or an exception that it did not say it expects. */
export const test = base.extend<{ expectedErrors: RegExp }>({
  expectedErrors: [/(?!)/, { option: true }],
  page: async ({ page, expectedErrors }, use) => {
    const errors: string[] = []
    const note = (text: string) => {
      if (!expectedErrors.test(text)) errors.push(text)
    }
    page.on('console', (message) => {
      if (message.type() === 'error') note(`${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => note(String(error)))
    await use(page)
    expect(errors).toEqual([])
  },
})

export { expect }

export const phone = { width: 360, height: 740 }
export const desktop = { width: 1280, height: 800 }

/** Scrolls to an exact offset and waits until the page has drawn it. */
export async function scrollPage(page: Page, top: number) {
  await page.evaluate(async (top) => {
    scrollTo({ top, behavior: 'instant' })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  }, top)
}
