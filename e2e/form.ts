import { expect, type Page, type Request } from '@playwright/test'
import { form as words } from '#site/content.ts'

export const functionUrl = '**/functions/v1/submit-to-airtable'

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

export const readValues = (page: Page) =>
  page
    .locator('#estimate .field [name]')
    .evaluateAll((fields) =>
      Object.fromEntries((fields as HTMLInputElement[]).map(({ name, value }) => [name, value])),
    )

/** Stands in for the function, and keeps what was asked of it. */
export async function answerWith(page: Page, answer: { status: number; body?: string } | 'cut') {
  const requests: Request[] = []
  await page.route(functionUrl, (route) => {
    requests.push(route.request())
    if (answer === 'cut') return route.abort('connectionreset')
    return route.fulfill({ contentType: 'application/json', body: '{"ok":true}', ...answer })
  })
  return requests
}

/** Lets the time of a page whose clock is installed run on until something has happened. */
export const runClockUntil = (page: Page, hasHappened: () => boolean) =>
  expect
    .poll(async () => {
      if (!hasHappened()) await page.clock.runFor(500)
      return hasHappened()
    })
    .toBe(true)
