import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from '@playwright/test'
import { hourMs } from '#leads/time-units.ts'
import { company, form as words } from './content.ts'
import { formCode, functionUrl, keyOf, noValues, reportOffline, visitor } from './form.ts'
import { test as ownSite } from './own-site.ts'
import { expect, expectAccessible } from './test.ts'

// The browser posts the form until React is ready. Files may load late, hang, or be gone after a deploy.

const laterFiles = /\/assets\/(?!main-)[\w-]+\.js$/
const gone = { status: 404, contentType: 'text/html', body: 'Oops!' }

type Site = { url: string; listNames(): string[] }

/** A site with a separate database. `listNames` returns the names of its leads. */
const test = ownSite.extend<{ site: Site }>({
  site: async ({ startSite }, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'native-'))
    const url = await startSite({ DATA_DIR: dataDir })
    const db = new DatabaseSync(join(dataDir, 'leads.db'), { readOnly: true })
    const listNames = () =>
      db
        .prepare('select name from leads order by name')
        .all()
        .map(({ name }) => String(name))
    await use({ url, listNames })
    db.close()
  },
})

test.use({ expectedErrors: /Failed to load resource|dynamically imported module/ })

const nativePost = {
  ...visitor,
  idempotencyKey: expect.stringMatching(/^\d+(-\d+){3}$/),
  elapsedMs: expect.stringMatching(/^[1-9]\d*$/),
  source: expect.stringContaining('utm_campaign=spring-roofs'),
  consent: words.consent.version,
}

const findOutcome = (page: Page, name: string) => page.locator(`#estimate-${name}`)

test('stores one lead for two clicks while the form’s code hangs', async ({ page, form, site }) => {
  await page.route(formCode, () => {})
  await page.goto(`${site.url}/?utm_campaign=spring-roofs`)
  // Delay the first post until the second click.
  const { promise: clickedTwice, resolve: release } = Promise.withResolvers<void>()
  const posts: object[] = []
  await page.route(functionUrl, async (route) => {
    const data = new URLSearchParams(route.request().postData() ?? '')
    if (posts.push(Object.fromEntries(data)) === 1) await clickedTwice
    await route.continue().catch(() => {})
  })
  await form.type()
  await form.button.scrollIntoViewIfNeeded()
  // Do not use button.click(), which waits for the first post to finish.
  const { x = 0, y = 0 } = (await form.button.boundingBox()) ?? {}
  for (const presses of [1, 2]) {
    await page.mouse.click(x + 9, y + 9)
    await expect.poll(() => posts.length).toBe(presses)
  }
  release()
  const outcome = findOutcome(page, 'received')
  await expect(outcome).toBeInViewport()
  await expect(outcome).toContainText(words.received.callSoon)
  await expect(outcome.getByRole('link', { name: company.phone })).toBeVisible()
  expect(posts[0]).toMatchObject(nativePost)
  expect(posts[1]).toHaveProperty('idempotencyKey', Object(posts[0]).idempotencyKey)
  expect(site.listNames()).toEqual([visitor.name])
  // A success deletes the draft, and a reload does not show the outcome again.
  await expect(page).toHaveURL(`${site.url}/`)
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  await page.reload()
  await expect(outcome).toBeHidden()
  expect(await form.readValues()).toEqual(noValues)

  // A visitor who goes back and submits again does not create a second lead.
  await page.unrouteAll()
  await page.goBack()
  await expect(form.name).toHaveValue(visitor.name)
  await form.press()
  expect(site.listNames()).toEqual([visitor.name])
})

test('shows only the outcome of a native post, although an earlier request has a time', async ({
  page,
}) => {
  const deadlineAt = Date.now() + hourMs
  await page.addInitScript((at) => sessionStorage.setItem('call-by', String(at)), deadlineAt)
  await page.goto('/')
  await expect(findOutcome(page, 'received')).toBeVisible()
  await page.goto('/?again#estimate-failed')
  await expect(findOutcome(page, 'failed')).toBeVisible()
  await expect(page.locator('.outcome').filter({ visible: true })).toHaveCount(1)
  await page.goto('/?later#estimate-received')
  await expect(findOutcome(page, 'received')).toContainText(words.received.callSoon)
})

test('posts natively once when the code that sends leads hangs', async ({ page, form, site }) => {
  await page.clock.install()
  await page.route(laterFiles, () => {})
  const posts = form.watchPosts()
  await page.goto(`${site.url}/?utm_campaign=spring-roofs`)
  await form.fillIn()
  await form.button.evaluate((button: HTMLButtonElement) => {
    for (let press = 0; press < 3; press++) button.click()
  })
  await page.clock.fastForward(8_000)
  await expect(findOutcome(page, 'received')).toBeInViewport()
  const sent = posts.map((post) => Object.fromEntries(new URLSearchParams(post)))
  expect(sent).toEqual([expect.objectContaining(nativePost)])
  expect(site.listNames()).toEqual([visitor.name])
})

test('loads the form’s code when the mouse moves, and retries later after a failure', async ({
  page,
}) => {
  let loads = 0
  await page.route(formCode, (route) => {
    loads += 1
    return route.abort()
  })
  // On a metered connection, nothing is preloaded.
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  )
  await page.clock.install({ time: 0 })
  await page.goto('/')
  await page.clock.pauseAt(hourMs)
  const move = (px: number) => page.mouse.move(px, px)
  await page.evaluate(async () => {
    dispatchEvent(new PointerEvent('pointermove', { clientX: 9, clientY: 9 }))
    await fetch('/robots.txt')
  })
  expect(loads).toBe(0)
  for (let px = 1; px < 50; px++) await move(px)
  await expect.poll(() => loads).toBe(1)
  await expect
    .poll(async () => {
      await page.clock.runFor(2_000)
      for (const px of [1, 2]) await move(px)
      return loads
    })
    .toBeGreaterThan(1)
})

test('shows a note when the browser reports that it is offline, and sends at the second press', async ({
  page,
  form,
  site,
}) => {
  await page.route(formCode, () => {})
  await page.addInitScript(reportOffline)
  await page.goto(site.url)
  await form.type()
  await form.button.click()
  const notice = page.getByRole('status').filter({ hasText: words.notes.offline })
  await expect(notice).toBeInViewport()
  await expect(notice.getByRole('link', { name: company.phone })).toBeVisible()
  await expect(page.locator('.deferred')).toHaveCount(0)
  await expectAccessible(page)
  expect(site.listNames()).toEqual([])
  await form.button.click()
  await expect(findOutcome(page, 'received')).toBeVisible()
  expect(site.listNames()).toEqual([visitor.name])
})

test('stores one lead when it is sent natively and then by React', async ({ page, form, site }) => {
  // React formats the name and the phone number before it sends them again.
  const typed = { ...visitor, name: 'jane DOE', phone: '+1 555 123 4567' }
  await page.route(formCode, (route) => route.abort())
  const { promise: responseLost, resolve: loseResponse } = Promise.withResolvers<void>()
  await page.route(functionUrl, async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
    loseResponse()
  })
  await page.goto(site.url)
  await form.type(typed)
  await form.button.click()
  await responseLost
  // Wait for the browser's error page, because showing it may interrupt the next navigation.
  await expect(page).toHaveURL(/^chrome-error:/)
  expect(site.listNames()).toEqual([visitor.name])

  await page.unrouteAll()
  await page.goto(site.url)
  await form.press()
  expect(site.listNames()).toEqual([visitor.name])

  // After a success, the same values create a new lead. Don't wait for its toast, because the first one may still be
  // visible.
  await form.fillIn()
  await form.button.click()
  await expect.poll(() => site.listNames()).toEqual([visitor.name, visitor.name])
})

test('waits for the connection before React posts natively, and enables the button after Back', async ({
  page,
  context,
  form,
}) => {
  await page.route(laterFiles, (route) => route.fulfill(gone))
  // After a 204 response, the browser stays on the page, which then looks as it does after Back.
  const posts = await form.answerWith({ status: 204 })
  await page.goto('/')
  await form.fillIn()
  // Go offline only once, because the form also preloads this code and the test goes back online below.
  await page.route(
    /send-lead/,
    async (route) => {
      await context.setOffline(true)
      await route.abort()
    },
    { times: 1 },
  )
  await form.button.click()
  await expect(form.note('waiting')).toBeVisible()
  expect(posts).toEqual([])
  await context.setOffline(false)
  await expect.poll(() => posts.length).toBe(1)
  expect(posts[0]?.headers()['content-type']).toBe('application/x-www-form-urlencoded')

  await expect(form.button).toHaveText('Submitting...')
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await expect(form.button).toHaveText('Request Free Estimate →')
  await expect(form.button).toBeEnabled()
  await expect.poll(form.readValues).toEqual(visitor)
})

test('shows a success without the toasts’ code, and reuses the key in a native post after a failure', async ({
  page,
  form,
}) => {
  await page.route('**/assets/toasts-*.js', () => {})
  const requests = await form.answerWith({ status: 200 }, { status: 422, body: '{}' })
  await page.goto('/')
  await form.fillIn()
  await form.button.click()
  await expect(form.received).toBeVisible()
  await expect(form.button).toBeEnabled()

  await form.fillIn()
  await form.button.click()
  await expect(form.note('failed')).toBeVisible()
  await page.route(formCode, (route) => route.abort())
  await page.goto('/?again')
  await form.button.click()
  await expect.poll(() => requests.length).toBe(3)
  const posted = new URLSearchParams(requests[2]?.postData() ?? '')
  expect(posted.get('idempotencyKey')).toBe(keyOf(requests[1]))
  expect(posted.get('idempotencyKey')).not.toBe(keyOf(requests[0]))
})
