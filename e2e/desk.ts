import type { BrowserContextOptions, Page } from '@playwright/test'
import { postLead } from '#testing/app.ts'
import { makeStranger } from '#testing/saved-leads.ts'
import { visitor } from './form.ts'
import { test as ownSite } from './own-site.ts'
import { serveSite } from './site.ts'
import { expect, openAxe, phone } from './test.ts'

type Phone = { page: Page; countPolls: () => number }
type Desks = {
  settings: Record<string, string>
  site: { url: string; deskUrl: string; makeLink: () => Promise<string> }
  /** Signs in on another phone, in a separate session. The test fails on console errors. */
  signIn(person: string, options?: BrowserContextOptions): Promise<Phone>
  /** Sends a lead as the form does. */
  sendLead(fields?: Partial<typeof visitor>): Promise<void>
}

export const test = ownSite.extend<Desks>({
  settings: [{}, { option: true }],
  site: async ({ endings, settings }, use) => {
    const { port, desk, stop } = await serveSite({ HOST: '127.0.0.1', ...settings })
    endings.push(stop)
    if (!desk) throw new Error('There is no desk.')
    await use({ url: `http://127.0.0.1:${port}`, deskUrl: desk.url, makeLink: desk.makeLink })
  },
  signIn: async ({ browser, site, endings }, use) => {
    const consoleErrors: string[] = []
    await use(async (person, options = {}) => {
      const context = await browser.newContext({ viewport: phone, ...options })
      endings.push(() => context.close())
      const page = await context.newPage()
      page.on('pageerror', (error) => consoleErrors.push(String(error)))
      page.on('console', (message) => {
        // Failed requests and blocked scripts in the preview are expected. Violations of the
        // Content-Security-Policy are not.
        const isExpected =
          /^Failed to load resource|^Blocked script execution in \S+\/api\/page\/preview/
        if (message.type() === 'error' && !isExpected.test(message.text()))
          consoleErrors.push(message.text())
      })
      let polls = 0
      page.on('requestfinished', (request) => {
        if (request.url().endsWith('/api/today')) polls += 1
      })
      await enterDesk(page, await site.makeLink(), person)
      return { page, countPolls: () => polls }
    })
    expect(consoleErrors).toEqual([])
  },
  sendLead: async ({ site }, use) =>
    use(async (fields = {}) => {
      // Another name is another homeowner.
      const other = fields.name === undefined ? {} : makeStranger()
      expect((await postLead(site.url, { ...visitor, ...other, ...fields })).status).toBe(200)
    }),
})

export async function enterDesk(page: Page, link: string, person: string) {
  await page.goto(link)
  await page.getByLabel('Your name').fill(person)
  await page.getByRole('button', { name: 'Open the desk' }).click()
  await page.getByRole('navigation', { name: 'Desk' }).waitFor()
}

export const row = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ hasText: name })

/** Fails if axe finds a violation on the screen. */
export async function checkAxe(page: Page, screen: string) {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)))
  const { violations } = await openAxe(page).analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    screen,
  ).toEqual([])
}
