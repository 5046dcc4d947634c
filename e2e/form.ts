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

export const fields = (page: Page) => ({
  name: page.getByLabel(words.labels.name),
  email: page.getByLabel(words.labels.email),
  phone: page.getByLabel(words.labels.phone, { exact: true }),
  address: page.getByLabel(words.labels.address),
  serviceType: page.getByLabel(words.labels.serviceType),
})

export const submitButton = (page: Page) => page.locator('#estimate button[type=submit]')
export const toast = (page: Page, text: string) =>
  page.getByRole('listitem').filter({ hasText: text })

export async function fillIn(page: Page, values: Partial<typeof visitor> = visitor) {
  const { serviceType, ...texts } = values
  for (const [name, value] of Object.entries(texts)) {
    await fields(page)[name as keyof typeof texts].fill(value)
  }
  if (serviceType) await fields(page).serviceType.selectOption(serviceType)
}

export type Outcome = keyof typeof words.toasts

/** Presses the button, and waits for the toast. */
export async function press(page: Page, outcome: Outcome = 'received') {
  await submitButton(page).click()
  await expect(toast(page, words.toasts[outcome])).toBeVisible()
}

/** The form's code runs. */
export const expectLive = (page: Page) =>
  expect(page.locator('#estimate form')).toHaveAttribute('novalidate')

export const readValues = (page: Page) =>
  page
    .locator('#estimate .field [name]')
    .evaluateAll((fields) =>
      Object.fromEntries((fields as HTMLInputElement[]).map(({ name, value }) => [name, value])),
    )

export const readDraft = (page: Page) => page.evaluate(() => localStorage.getItem('estimate-draft'))

export const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key']

type Answer = Parameters<Route['fulfill']>[0] | 'cut'

/** Stands in for the function, and keeps what was asked of it. The last answer is given again. */
export async function answerWith(page: Page, ...answers: Answer[]) {
  const requests: Request[] = []
  await page.route(functionUrl, (route) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(route.request())
    if (answer === 'cut') return route.abort('connectionreset')
    return route.fulfill({ contentType: 'application/json', body: '{"ok":true}', ...answer })
  })
  return requests
}

/** What the page posts from here on. */
export function watchPosts(page: Page) {
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.postData() ?? '')
  })
  return posts
}

/** The posts of this page, by their type; the function never answers them. */
export async function holdPosts(page: Page) {
  const types: string[] = []
  await page.route(functionUrl, (route) => {
    types.push(route.request().headers()['content-type'] ?? '')
  })
  return types
}

/** What the page says while nothing but its style can: see first-script. */
export const readOfflineWords = (page: Page) =>
  page.locator('#estimate').evaluate((form) => getComputedStyle(form, '::after').content)

/** Lets the time of a page whose clock is installed run on until something has happened. */
export const runClockUntil = (page: Page, hasHappened: () => boolean) =>
  expect
    .poll(async () => {
      if (!hasHappened()) await page.clock.runFor(500)
      return hasHappened()
    })
    .toBe(true)
