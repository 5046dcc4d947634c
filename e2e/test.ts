import { test as base, expect, type Page } from '@playwright/test'
import axe from 'axe-core'
import { formatEntries } from '#testing/log.ts'
import { findForm } from './form.ts'
import { siteLog } from './site.ts'

type Fixtures = {
  printSiteLog: undefined
  expectedErrors: RegExp
  expectedHosts: RegExp
  form: ReturnType<typeof findForm>
}

export const phone = { width: 360, height: 740 }
export const desktop = { width: 1280, height: 800 }

/**
 * A test that uses `page` fails if there is an unexpected exception or console error (such as a policy violation), a
 * cookie, an unexpected request to a different host, or personal data in a URL.
 */
export const test = base.extend<Fixtures>({
  // Test on a phone, because most visitors use one and small pictures load faster.
  viewport: phone,
  printSiteLog: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructuring pattern
    async ({}, use, test) => {
      siteLog.entries.length = 0
      await use(undefined)
      if (test.status !== test.expectedStatus)
        process.stdout.write(`Site log:\n${formatEntries(siteLog)}`)
    },
    { auto: true },
  ],
  expectedErrors: [/(?!)/, { option: true }],
  expectedHosts: [/(?!)/, { option: true }],
  form: ({ page }, use) => use(findForm(page)),
  page: async ({ page, expectedErrors, expectedHosts }, use) => {
    const errors: string[] = []
    const note = (text: string) => {
      if (!expectedErrors.test(text)) errors.push(text)
    }
    page.on('console', (message) => {
      if (message.type() === 'error') note(`${message.text()} ${message.location().url}`)
    })
    page.on('pageerror', (error) => note(String(error)))
    page.context().on('request', (request) => {
      const url = new URL(request.url())
      const isOwn = !url.host || ownHosts.includes(url.hostname)
      if (!isOwn && !expectedHosts.test(url.host)) errors.push(`request to ${url.host}`)
      if (isOwn && personal.test(url.href)) note(`personal data in a URL: ${url.href}`)
    })
    await use(page)
    for (const { name, domain } of await page.context().cookies())
      errors.push(`cookie ${name} of ${domain}`)
    expect(errors).toEqual([])
  },
})

// The hosts of the test servers.
const ownHosts = ['localhost', '127.0.0.1']
// Matches the values that the tests type into the form, as they would appear in a URL.
const personal = /jane|john|zo%c3%ab|doe\b|(@|%40)example|123-?4567|ridge.{1,3}rd/i

export { expect }

/** Converts '#b4501e' to 'rgb(180, 80, 30)', as a browser does. */
export const formatRgb = (hex: string) =>
  `rgb(${hex
    .match(/[\da-f]{2}/gi)
    ?.map((part) => Number.parseInt(part, 16))
    .join(', ')})`

/** Waits until the browser has painted the current state. */
export const waitForPaint = (page: Page) =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )

/** Scrolls to an exact offset and waits for the paint. */
export async function scrollPage(page: Page, top: number) {
  await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), top)
  await waitForPaint(page)
}

/** Scrolls through the page, so that the browser loads and paints everything. */
export async function scrollToEnd(page: Page) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  for (let top = 0; top < height; top += 400) await scrollPage(page, top)
}

/** Fails if axe finds a violation. Skips the desk's preview frame, because other tests check the page itself. */
export async function expectAccessible(page: Page, part = 'html', state = 'the page') {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const violations = await page.evaluate(async (part) => {
    // Wait for transitions to end, because axe would measure the colors in between.
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
    // The best practices include heading order and landmarks.
    const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const found = await (window as unknown as { axe: typeof axe }).axe.run(part, {
      runOnly: rules,
      // Don't list what passed, because that would double the time.
      resultTypes: ['violations'],
      iframes: false,
      preload: false,
    })
    return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
  }, part)
  expect(violations, state).toEqual([])
}

type Source = { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }
type Shift = { value: number; hadRecentInput: boolean; sources: Source[] }

/** Runs in the page. Records layout shifts and their elements for the error message of a failed test. */
export function watchShifts(fromTheStart = true) {
  const shifts: { value: number; moved: string[] }[] = []
  Object.assign(window, { shifts })
  const describe = ({ node, previousRect: from, currentRect: to }: Source) =>
    `${node?.outerHTML?.slice(0, 80)} ${from.width}x${from.height} from ${from.x},${from.y} to ${to.x},${to.y}`
  new PerformanceObserver((list) => {
    // Ignore shifts right after user input, because they are expected.
    for (const { value, hadRecentInput, sources } of list.getEntries() as unknown as Shift[])
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(describe) })
  }).observe({ type: 'layout-shift', buffered: fromTheStart })
}

export async function expectNoShift(page: Page, limit = 0.01) {
  // Paint at least one pixel, because the browser records a shift only when it paints.
  await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } })
  const shifts = await page.evaluate<{ value: number }[]>('window.shifts')
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect(sum, JSON.stringify(shifts)).toBeLessThan(limit)
}
