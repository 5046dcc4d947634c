import { type Browser, chromium } from '@playwright/test'
import { type PushData, pushHost, startFakePush } from '#fakes/push.ts'
import { findWindowedBrowser } from '#scripts/tools.mjs'
import { postLead } from '#testing/app.ts'
import { makeStranger } from '#testing/saved-leads.ts'
import { enterDesk, row } from './desk.ts'
import { visitor } from './form.ts'
import { test } from './own-site.ts'
import { serveSite } from './site.ts'
import { expect, phone } from './test.ts'

type Push = Awaited<ReturnType<typeof startFakePush>>
type WorkerScope = {
  registration: ServiceWorkerRegistration
  NotificationEvent: new (type: string, init: object) => Event
  dispatchEvent(event: Event): boolean
  /** The number of notifications that were shown. */
  shown: number
  isUnsubscribed: boolean
  clients: { openWindow(url: string): Promise<null> }
  /** The URL of the window that the worker opened last. */
  opened: string
}

/**
 * Signs in on a phone and turns on its notifications. The browser cannot reach a real push service, so it gets a
 * subscription from the fake, and the test passes the fake's messages to the service worker.
 */
async function openPhone(browser: Browser, link: string, name: string, push: Push) {
  const { origin } = new URL(link)
  const context = await browser.newContext({ viewport: phone })
  await context.grantPermissions(['notifications'], { origin })
  await context.addInitScript((subscription) => {
    if (!('PushManager' in window)) return
    PushManager.prototype.subscribe = async (options) => {
      if (!options?.applicationServerKey) throw new Error('no key')
      return { toJSON: () => subscription } as unknown as PushSubscription
    }
  }, push.addPhone(name))
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  let registrationId = ''
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.at(-1)?.registrationId ?? registrationId
  })
  // Chromium drops messages for a service worker that is not active yet.
  let isActivated = false
  cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    isActivated ||= versions.some(({ status }) => status === 'activated')
  })
  await cdp.send('ServiceWorker.enable')
  await enterDesk(page, link, name)
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByLabel('Name of this device').fill(`${name}’s phone`)
  await page.getByRole('button', { name: 'Turn on notifications' }).click()
  await expect(page.getByText('Notifications are on for this device.')).toBeVisible()
  await expect.poll(() => isActivated).toBe(true)
  const [worker] = context.serviceWorkers()
  if (!worker) throw new Error('The service worker does not run.')
  await worker.evaluate(() => {
    const scope = globalThis as unknown as WorkerScope
    const show = scope.registration.showNotification.bind(scope.registration)
    scope.shown = 0
    const unsubscribe = async () => {
      scope.isUnsubscribed = true
      return true
    }
    // Replace openWindow, because the browser opens windows only after a real tap.
    scope.clients.openWindow = async (url) => {
      scope.opened = url
      return null
    }
    scope.registration.pushManager.getSubscription = async () =>
      ({ unsubscribe }) as PushSubscription
    scope.registration.showNotification = async (...args) => {
      await show(...args)
      scope.shown++
    }
  })
  const countShown = () => worker.evaluate(() => (globalThis as unknown as WorkerScope).shown)

  return {
    page,
    /**
     * Passes the fake's next message for this phone to the service worker, and waits until it is shown. Listing the
     * notifications earlier would make Chromium drop the one that it is about to show.
     */
    async deliver(changes: object = {}) {
      const isMine = ({ device }: { device: string }) => device === name
      await expect.poll(() => push.messages.some(isMine)).toBe(true)
      const [message] = push.messages.splice(push.messages.findIndex(isMine), 1)
      const sent = message?.data as PushData
      const data = JSON.stringify({ ...sent, lead: { ...sent.lead, ...changes } })
      const before = await countShown()
      await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
      await expect.poll(countShown).toBe(before + 1)
      return sent
    },
    readNotifications: () =>
      page.evaluate(async () => {
        const shown = await (await navigator.serviceWorker.ready).getNotifications()
        // TypeScript's DOM types lack Notification.actions.
        return (shown as (Notification & { actions: { title: string }[] })[]).map((one) => ({
          title: one.title,
          silent: one.silent,
          buttons: one.actions.map(({ title }) => title),
        }))
      }),
    isUnsubscribed: () =>
      worker.evaluate(() => (globalThis as unknown as WorkerScope).isUnsubscribed),
    /**
     * Simulates a click on a button of the first notification or, if the action is empty, on the notification itself.
     * Tests cannot reach either.
     */
    async press(action: string) {
      await worker.evaluate(async (pressed) => {
        const scope = globalThis as unknown as WorkerScope
        const [notification] = await scope.registration.getNotifications()
        const init = { notification, action: pressed }
        const event = new scope.NotificationEvent('notificationclick', init)
        // The browser allows waitUntil only for its own events.
        Object.defineProperty(event, 'waitUntil', { value: () => {} })
        scope.dispatchEvent(event)
      }, action)
    },
    readOpened: () => worker.evaluate(() => (globalThis as unknown as WorkerScope).opened),
    /** Makes the worker fail to navigate the desk's window, and makes the worker's requests hang. */
    breakWorker: () =>
      worker.evaluate(() => {
        const client = (globalThis as unknown as { WindowClient: { prototype: object } })
          .WindowClient
        Object.assign(client.prototype, { navigate: () => Promise.reject(new TypeError()) })
        globalThis.fetch = () => new Promise(() => {})
      }),
    close: () => browser.close(),
  }
}

test('a lead notifies two phones; an answer on one removes it from the other', async ({
  endings,
  launchOptions,
}) => {
  const executablePath = findWindowedBrowser()
  test.skip(!executablePath && !process.env.CI, 'no Chromium with windows is installed')
  // Use windows, because the headless shell shows no notifications. Each phone needs its own browser, because a browser
  // replaces a notification that has the same tag.
  const launch = () => chromium.launch({ ...launchOptions, executablePath })
  const push = await startFakePush()
  endings.push(push.close)
  const settings = { HOST: '127.0.0.1', PUSH_SERVICES: pushHost }
  const site = await serveSite(settings, { fetch: push.fetch })
  endings.push(site.stop)
  const makeLink = async () => (await site.desk?.makeLink()) ?? ''
  const sam = await openPhone(await launch(), await makeLink(), 'Sam', push)
  const dana = await openPhone(await launch(), await makeLink(), 'Dana', push)
  endings.push(sam.close, dana.close)

  await sam.page.getByRole('button', { name: 'Test Sam’s phone' }).click()
  await sam.deliver()
  await expect.poll(sam.readNotifications).toMatchObject([{ title: 'Notifications work' }])

  const lead = { ...visitor, serviceType: 'emergency' }
  expect((await postLead(`http://127.0.0.1:${site.port}`, lead)).status).toBe(200)
  for (const each of [sam, dana]) await each.deliver()
  const buttons = ['Call', 'I’m calling']
  const alert = { title: expect.stringMatching(/^Jane Doe: call by /), silent: false, buttons }
  await expect.poll(async () => (await dana.readNotifications()).at(-1)).toMatchObject(alert)
  await dana.press('calling')
  await expect.poll(dana.readNotifications).toEqual([])

  // Both service workers reported that they showed the notification. Dana's also reported her tap.
  await sam.page.getByRole('link', { name: /^Today/ }).click()
  await sam.page.getByRole('link', { name: 'Jane Doe' }).click()
  const shown = /: shown \d+(\.\d)? sec after the request/
  const deliveries = sam.page.locator('.deliveries')
  await expect(deliveries).toContainText(new RegExp(`Sam’s phone${shown.source}(?!, tapped)`))
  await expect(deliveries).toContainText(new RegExp(`Dana’s phone${shown.source}, tapped at`))

  // On the other phone, a message about the call replaces the notification and then disappears.
  const update = await sam.deliver()
  expect(update.notification).toMatchObject({ title: 'Dana is calling Jane Doe', silent: true })
  await expect
    .poll(async () => (await sam.readNotifications()).filter(({ title }) => /Jane/.test(title)))
    .toEqual([])
  await sam.page.getByRole('link', { name: 'Today' }).first().click()
  await expect(row(sam.page, 'Jane Doe')).toContainText('Dana')

  // The notification for a lead without a phone number has no button that dials.
  await sam.page.getByRole('link', { name: 'Add a lead' }).click()
  await sam.page.getByLabel('Email').fill('mai@example.com')
  await sam.page.getByRole('button', { name: 'Someone should call back' }).click()
  await sam.deliver()
  await expect
    .poll(async () => (await sam.readNotifications()).at(-1))
    .toMatchObject({ title: expect.stringMatching(/^mai@/), buttons: ['I’m emailing'] })

  // A notification that asks about a call must not offer to call again.
  expect(
    (await postLead(`http://127.0.0.1:${site.port}`, { ...lead, ...makeStranger() })).status,
  ).toBe(200)
  await sam.deliver({ isQuestion: true })
  await expect
    .poll(async () => (await sam.readNotifications()).at(-1))
    .toMatchObject({ ...alert, buttons: [] })

  // The desk registers its browser each time it opens.
  const registered = sam.page.waitForResponse(
    (response) => response.url().endsWith('/api/devices') && response.request().method() === 'POST',
  )
  await sam.page.reload()
  expect((await registered).status()).toBe(200)

  // A tap opens the lead in the desk's window, or else in a new one, even if the report of the tap fails.
  const notifySam = async () => {
    const other = { ...lead, ...makeStranger() }
    expect((await postLead(`http://127.0.0.1:${site.port}`, other)).status).toBe(200)
    await sam.deliver()
    await expect.poll(async () => (await sam.readNotifications()).at(-1)).toMatchObject(alert)
  }
  await notifySam()
  await sam.press('')
  await expect(sam.page).toHaveURL(/#\/lead\/./)
  await notifySam()
  await sam.breakWorker()
  await sam.press('')
  await expect.poll(sam.readOpened).toMatch(/^\/#\/lead\/./)

  // After sign-out, no notification with a homeowner's name is left.
  await notifySam()
  await sam.page.getByRole('link', { name: 'People' }).click()
  await sam.page.getByRole('button', { name: /^Sign out Sam/ }).click()
  await expect(sam.page.getByLabel('Your email address')).toBeVisible()
  await expect.poll(sam.readNotifications).toEqual([])
  await expect.poll(sam.isUnsubscribed).toBe(true)
})
