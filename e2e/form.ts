import { expect, type Page, type Request, type Route } from '@playwright/test'
import { form as words } from '#site/content.ts'

export const functionUrl = '**/functions/v1/submit-to-airtable'
export const formCode = '**/assets/main-*.js'

export const visitor = {
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '1 Ridge Rd, Denver, CO 80202',
  serviceType: 'roof-repair',
}
export const noValues = { name: '', email: '', phone: '', address: '', serviceType: '' }

type Outcome = keyof typeof words.toasts
type Note = 'failed' | 'received' | 'slow' | 'offline' | 'waiting'
type Answer = Parameters<Route['fulfill']>[0] | 'cut'

export const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key']

/** The estimate form of a page, and what a test does with it. */
export function findForm(page: Page) {
  const root = page.locator('#estimate')
  const fields = {
    name: page.getByLabel(words.labels.name),
    email: page.getByLabel(words.labels.email),
    phone: page.getByLabel(words.labels.phone, { exact: true }),
    address: page.getByLabel(words.labels.address),
    serviceType: page.getByLabel(words.labels.serviceType),
  }
  const button = root.locator('button[type=submit]')
  const toast = (outcome: Outcome) =>
    page.getByRole('listitem').filter({ hasText: words.toasts[outcome] })

  return {
    root,
    form: root.locator('form'),
    ...fields,
    button,
    toast,
    note: (name: Note) => page.getByText(words.notes[name]),

    async fillIn({ serviceType, ...texts }: Partial<typeof visitor> = visitor) {
      for (const [name, value] of Object.entries(texts))
        await fields[name as keyof typeof texts].fill(value)
      if (serviceType) await fields.serviceType.selectOption(serviceType)
    },

    /** Presses the button, and waits for the toast. */
    async press(outcome: Outcome = 'received') {
      await button.click()
      await expect(toast(outcome)).toBeVisible()
    },

    /** The form's code runs. */
    expectLive: () => expect(root.locator('form')).toHaveAttribute('novalidate'),

    readValues: () =>
      root
        .locator('.field [name]')
        .evaluateAll((fields: HTMLInputElement[]) =>
          Object.fromEntries(fields.map(({ name, value }) => [name, value])),
        ),

    readDraft: () => page.evaluate(() => localStorage.getItem('estimate-draft')),

    /** Stands in for the function, and keeps what was asked of it. The last answer is given again. */
    async answerWith(...answers: Answer[]) {
      const requests: Request[] = []
      await page.route(functionUrl, (route) => {
        const answer = answers[Math.min(requests.length, answers.length - 1)]
        requests.push(route.request())
        if (answer === 'cut') return route.abort('connectionreset')
        return route.fulfill({ contentType: 'application/json', body: '{"ok":true}', ...answer })
      })
      return requests
    },

    /** What the page posts from here on. */
    watchPosts() {
      const posts: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') posts.push(request.postData() ?? '')
      })
      return posts
    },

    /** The posts of this page, by their type; the function never answers them. */
    async holdPosts() {
      const types: string[] = []
      await page.route(functionUrl, (route) => {
        types.push(route.request().headers()['content-type'] ?? '')
      })
      return types
    },

    /** Lets the time of a page whose clock is installed run on until something has happened. */
    runClockUntil: (hasHappened: () => boolean) =>
      expect
        .poll(async () => {
          if (!hasHappened()) await page.clock.runFor(500)
          return hasHappened()
        })
        .toBe(true),
  }
}
