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
 * Every browser test fails on an unexpected exception or console error, including policy violations, on a
 * cookie, on a request to another host, and on personal data in a URL.
 */
export const test = base.extend<Fixtures>({
  // Most visitors use phones, and small pictures load faster.
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

// The test servers.
const ownHosts = ['localhost', '127.0.0.1']
// Matches the values that the tests type into the form, as they would appear in a URL.
const personal = /jane|john|zo%c3%ab|doe\b|(@|%40)example|123-?4567|ridge.{1,3}rd/i

export { expect }

/** Converts '#b4501e' to 'rgb(180, 80, 30)', like a browser. */
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

/** Scrolls through the page, so that it loads and paints everything. */
export async function scrollToEnd(page: Page) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  for (let top = 0; top < height; top += 400) await scrollPage(page, top)
}

/** Skips frames: the only one is the desk's preview of the page, which is checked as a page. */
export async function expectAccessible(page: Page, part = 'html', state = 'the page') {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const violations = await page.evaluate(async (part) => {
    // The colors in the middle of a transition are neither the old ones nor the new ones.
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
    // Best practices include heading order and landmarks.
    const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const found = await (window as unknown as { axe: typeof axe }).axe.run(part, {
      runOnly: rules,
      // Listing what passed would double the time.
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
    // A shift right after user input is expected.
    for (const { value, hadRecentInput, sources } of list.getEntries() as unknown as Shift[])
      if (!hadRecentInput) shifts.push({ value, moved: sources.map(describe) })
  }).observe({ type: 'layout-shift', buffered: fromTheStart })
}

export async function expectNoShift(page: Page, limit = 0.01) {
  // Paint, because only then does the browser record a shift. One pixel is enough.
  await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } })
  const shifts = await page.evaluate<{ value: number }[]>('window.shifts')
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect(sum, JSON.stringify(shifts)).toBeLessThan(limit)
}
