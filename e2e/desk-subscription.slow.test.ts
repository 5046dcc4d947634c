import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createFakePush, pushHost } from '#fakes/push.ts'
import { test } from './desk.ts'
import { expect } from './test.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'e2e-'))
test.use({ settings: { DATA_DIR: dataDir, PUSH_SERVICES: pushHost } })

/**
 * Runs in the page. Fakes the push service, which tests cannot reach. After each unsubscribe, subscribe returns the next
 * subscription.
 */
function replacePushManager(subscriptions: object[]) {
  // The headless shell always reports "denied".
  Object.defineProperty(Notification, 'permission', { value: 'granted' })
  const next = () => Number(sessionStorage.getItem('unsubscribed'))
  PushManager.prototype.getSubscription = async () =>
    ({
      unsubscribe: async () => sessionStorage.setItem('unsubscribed', String(next() + 1)),
    }) as unknown as PushSubscription
  PushManager.prototype.subscribe = async () => {
    // The subscription belongs to a different server key until it is replaced.
    const isForeign = sessionStorage.getItem('foreign') === String(next())
    if (isForeign) throw new DOMException('', 'InvalidStateError')
    return { toJSON: () => subscriptions[next()] } as unknown as PushSubscription
  }
}

test('opening the desk repairs a subscription that the browser or the push service lost', async ({
  signIn,
  sendLead,
}) => {
  const push = createFakePush()
  const subscriptions = ['first', 'second', 'third', 'fourth'].map(push.addPhone)
  const page = await signIn('Sam', { permissions: ['notifications'] })
  // Without permission, the desk does not call /api/devices.
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await page.reload()
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  expect(requests).not.toContain('/api/devices')
  await page.addInitScript(replacePushManager, subscriptions)
  await page.reload()
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('button', { name: 'Turn on notifications' }).click()
  await expect(page.getByText('Notifications are on for this device.')).toBeVisible()

  const database = new DatabaseSync(join(dataDir, 'leads.db'), { timeout: 5_000 })
  const listDevices = () =>
    database.prepare('select endpoint, gone_at from push_devices').all() as object[]
  /** Reopens the desk, waits until it has registered its browser, and returns the stored devices. */
  const reopen = async () => {
    const registered = page.waitForResponse(
      (one) => one.request().method() === 'POST' && one.url().endsWith('/api/devices'),
    )
    await page.reload()
    expect((await registered).status()).toBe(200)
    return listDevices()
  }
  const registeredAs = (name: string) => [
    { endpoint: `https://${pushHost}/${name}`, gone_at: null },
  ]
  expect(await reopen()).toEqual(registeredAs('first'))

  database.exec('update push_devices set gone_at = created_at')
  expect(await reopen()).toEqual(registeredAs('second'))

  // The phone has not confirmed any of its last three alerts.
  for (const name of ['Ann', 'Ben', 'Cal']) await sendLead({ name })
  database.exec(`
    update deliveries set state = 'sent', settled_at = 0, message_id = lead_id
    where recipient like 'push-%'`)
  expect(await reopen()).toEqual(registeredAs('third'))

  await page.evaluate(() => sessionStorage.setItem('foreign', '2'))
  expect(await reopen()).toEqual(registeredAs('fourth'))

  database.exec('delete from push_devices')
  const listed = page.waitForResponse('**/api/devices')
  await page.reload()
  await listed
  await expect(page.getByRole('button', { name: 'Turn on notifications' })).toBeVisible()
  expect(listDevices()).toEqual([])
  database.close()
})
