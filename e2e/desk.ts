import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BrowserContextOptions, Page } from '@playwright/test'
import { startFakeMail } from '#fakes/mail.ts'
import { postLead } from '#testing/app.ts'
import { makeStranger } from '#testing/saved-leads.ts'
import { visitor } from './form.ts'
import { test as ownSite } from './own-site.ts'
import { serveSite } from './site.ts'
import { expect, expectAccessible, phone } from './test.ts'

type Desks = {
  settings: Record<string, string>
  /** The site's clock. */
  now: () => number
  site: {
    url: string
    deskUrl: string
    makeLink: () => Promise<string>
    /** Changes the database directly, without the site's code. */
    runSql(sql: string): void
  }
  /** Signs in on a new phone, in a separate session. The test fails on console errors. */
  signIn(person: string, options?: BrowserContextOptions): Promise<Page>
  /** Sends a lead as the form does. */
  sendLead(fields?: Partial<typeof visitor>): Promise<void>
}

export const test = ownSite.extend<Desks>({
  settings: [{}, { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructuring pattern
  now: ({}, use) => use(Date.now),
  site: async ({ endings, settings, now }, use) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'e2e-'))
    const given = { HOST: '127.0.0.1', DATA_DIR, ...settings }
    const { port, desk, stop } = await serveSite(given, { now })
    endings.push(stop)
    if (!desk) throw new Error('There is no desk.')
    const runSql = (sql: string) => {
      const database = new DatabaseSync(join(DATA_DIR, 'leads.db'), { timeout: 5_000 })
      database.exec(sql)
      database.close()
    }
    const url = `http://127.0.0.1:${port}`
    await use({ url, deskUrl: desk.url, makeLink: desk.makeLink, runSql })
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
      // Sign in with a request, to save a page load. desk-roles.spec.ts signs in as people do.
      const token = (await site.makeLink()).split('#enter=')[1]
      const sent = { headers: { origin: site.deskUrl }, data: { token, person } }
      expect((await context.request.post(`${site.deskUrl}/api/session`, sent)).status()).toBe(200)
      await page.goto(site.deskUrl)
      await page.getByRole('navigation', { name: 'Desk' }).waitFor()
      return page
    })
    expect(consoleErrors).toEqual([])
  },
  sendLead: async ({ site }, use) =>
    use(async (fields = {}) => {
      // If a name is given, the lead is from a different homeowner with different contact details.
      const other = fields.name === undefined ? {} : makeStranger()
      expect((await postLead(site.url, { ...visitor, ...other, ...fields })).status).toBe(200)
    }),
})

type Mailbox = { mail: Awaited<ReturnType<typeof startFakeMail>> }

/** A desk that sends email. The owner's address is owner@example.com. */
export const mailed = test.extend<Mailbox>({
  mail: async ({ endings }, use) => {
    const mail = await startFakeMail()
    endings.push(mail.close)
    await use(mail)
  },
  settings: ({ mail }, use) =>
    use({
      SMTP_URL: mail.url,
      ALERT_EMAIL_FROM: 'site@example.com',
      ALERT_EMAIL_TO: 'owner@example.com',
      CONFIRMATION_EMAIL: 'on',
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
  await expectAccessible(page, 'html', screen)
}
