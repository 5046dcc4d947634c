import { expect, type Locator, type Page, type Request, type Route } from '@playwright/test'
import { formatCallTime } from '#leads/call-time.ts'
import { type Field, fieldNames, type LeadField, leadFields } from '#leads/fields.ts'
import { fill } from '#leads/fill.ts'
import { minuteMs } from '#leads/time-units.ts'
import { company, hours, form as words } from './content.ts'

export const functionUrl = '**/functions/v1/submit-to-airtable'
export const formCode = '**/assets/main-*.js'

export const visitor: Record<LeadField, string> = {
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '1 Ridge Rd, Denver, CO 80202',
  serviceType: 'roof-repair',
}
export const noValues = Object.fromEntries(fieldNames.map((name) => [name, '']))

/** Returns the call time that the page promises at this time of day, such as 07:00. */
export function computeCallTime(from: string): string {
  const now = Date.parse(`2026-11-17T${from}Z`)
  return formatCallTime(now + hours.promiseMinutes * minuteMs, { now, timeZone: 'UTC' })
}

type Outcome = keyof typeof words.toasts
type Note = 'failed' | 'slow' | 'waiting'
type Answer = Parameters<Route['fulfill']>[0] | 'cut'

export const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key']

/** The success message with this time, as the visitor sees it. */
export const formatReceived = (time: string) =>
  `${words.received.heading} ${fill(words.received.callBy, { time })} ${words.received.next} ${company.phone}`

/** Runs in the page. Makes it believe that the browser is offline. */
export const reportOffline = () => {
  Object.defineProperty(navigator, 'onLine', { value: false })
}

/** The estimate form on a page, and helpers for tests. */
export function findForm(page: Page) {
  const root = page.locator('#estimate')
  const fields = Object.fromEntries(
    fieldNames.map((name) => [name, root.getByLabel(words.labels[name])]),
  ) as Record<LeadField, Locator>
  const button = root.locator('button[type=submit]')
  const toast = (outcome: Outcome) =>
    page.getByRole('listitem').filter({ hasText: words.toasts[outcome] })
  const type = async (values: Partial<typeof visitor> = visitor) => {
    for (const name of fieldNames) {
      const { choices }: Field = leadFields[name]
      const value = values[name]
      if (value !== undefined)
        await (choices ? fields[name].selectOption(value) : fields[name].fill(value))
    }
  }
  const expectHydrated = () => expect(root.locator('form')).toHaveAttribute('novalidate')

  return {
    root,
    form: root.locator('form'),
    ...fields,
    last: fields[fieldNames.at(-1) ?? 'name'],
    button,
    toast,
    note: (name: Note) => root.getByText(words.notes[name]),
    received: page.locator('#estimate-received'),

    /** Fills in the form without waiting for hydration. */
    type,

    /** Fills in the form and waits for hydration, which is done by the time a real visitor finishes typing. */
    async fillIn(values: Partial<typeof visitor> = visitor) {
      await type(values)
      await expectHydrated()
    },

    /** Submits the form after hydration and waits for the toast. */
    async press(outcome: Outcome = 'received') {
      await button.focus()
      await expectHydrated()
      await button.click()
      await expect(toast(outcome)).toBeVisible()
    },

    expectHydrated,

    readValues: () =>
      root
        .locator('.field [name]')
        .evaluateAll((fields: HTMLInputElement[]) =>
          Object.fromEntries(fields.map(({ name, value }) => [name, value])),
        ),

    readDraft: () => page.evaluate(() => localStorage.getItem('estimate-draft')),

    /** Fakes the backend and returns the requests to it. The last response is repeated. */
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

    /** Starts to collect the bodies of the page's POST requests. */
    watchPosts() {
      const posts: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') posts.push(request.postData() ?? '')
      })
      return posts
    },

    /**
     * Waits for the first request in real time, because running the fake clock could time out the loading of the code
     * that sends the lead.
     */
    waitForRequest: (requests: Request[]) => expect.poll(() => requests.length).not.toBe(0),

    /** Runs the page's fake clock until the condition is true. */
    runClockUntil: (condition: () => boolean) =>
      expect
        .poll(
          async () => {
            if (!condition()) await page.clock.runFor(500)
            return condition()
          },
          { intervals: [20] },
        )
        .toBe(true),
  }
}
