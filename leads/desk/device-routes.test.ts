import { expect, it, onTestFinished } from 'vitest'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestDesk } from '#testing/desk.ts'
import { testTime } from '#testing/saved-leads.ts'
import { saveDevice } from '../store/push-devices.ts'

async function open() {
  const service = await startFakePush()
  onTestFinished(() => service.close())
  const db = await openTestDatabase('sqlite')
  const desk = createTestDesk(db, { env: { PUSH_SERVICES: pushHost }, fetch: service.fetch })
  const cookie = await desk.signIn()
  const subscribe = (body: object, as = cookie) =>
    desk.call('POST', '/api/devices', { cookie: as, body })
  const list = async (as = cookie) => (await desk.call('GET', '/api/devices', { cookie: as })).json
  return { ...desk, db, service, cookie, subscribe, list }
}

it('a phone is named, rung for a test, paused and removed', async () => {
  const { service, subscribe, list, call, cookie } = await open()
  const subscription = service.addPhone('phone')
  expect((await subscribe({ name: 'My phone', subscription })).status).toBe(200)
  const { devices, publicKey, steps } = await list()
  expect(publicKey).toMatch(/^B[\w-]{86}$/)
  expect(steps).toEqual([0, 4, 8])
  const [{ id }] = devices
  const fresh = {
    name: 'My phone',
    person: 'Sam Hill',
    isThis: true,
    goneAt: null,
    notifyAfterMinutes: 0,
  }
  expect(devices).toEqual([{ ...fresh, id, quietUntil: 0, notifyEmergencies: true }])

  expect((await call('POST', `/api/devices/${id}/test`, { cookie })).status).toBe(200)
  expect(service.messages[0]?.data.notification.title).toBe('This phone rings')

  const body = {
    name: 'Truck',
    notifyAfterMinutes: 4,
    quietUntil: 1_800_000_000_000,
    notifyEmergencies: false,
  }
  expect((await call('PUT', `/api/devices/${id}`, { cookie, body })).status).toBe(200)
  expect((await list()).devices).toMatchObject([body])

  await call('DELETE', `/api/devices/${id}`, { cookie })
  expect((await list()).devices).toEqual([])
  expect((await call('PUT', `/api/devices/${id}`, { cookie, body })).status).toBe(404)
})

it('a test says why a phone cannot be rung', async () => {
  const { service, subscribe, list, call, cookie } = await open()
  await subscribe({ name: 'x', subscription: service.addPhone('phone') })
  const [{ id }] = (await list()).devices
  const test = () => call('POST', `/api/devices/${id}/test`, { cookie })
  service.failNext('phone', { kind: 'status', status: 500 })
  expect(await test()).toMatchObject({ status: 409, message: 'The push service answered 500.' })
  service.removePhone('phone')
  expect(await test()).toMatchObject({ status: 409, message: expect.stringContaining('is gone') })
  expect((await list()).devices[0].goneAt).not.toBeNull()
})

it('a browser rings once, and signing it out ends that', async () => {
  const { service, subscribe, list, call, signIn, cookie } = await open()
  const alex = await signIn('alex@example.com')
  await subscribe({ name: 'old', subscription: service.addPhone('old') })
  await subscribe({ name: 'new', subscription: service.addPhone('new') })
  await subscribe({ name: 'other', subscription: service.addPhone('other') }, alex)
  const names = async () => (await list(alex)).devices.map(({ name }: { name: string }) => name)
  expect(await names()).toEqual(['new', 'other'])
  await subscribe({ subscription: service.addPhone('moved') })
  expect(await names()).toEqual(['other', 'new'])
  await call('DELETE', '/api/session', { cookie })
  expect(await names()).toEqual(['other'])
})

it('signing in again in the same browser keeps its phone, and its settings', async () => {
  const { service, subscribe, list, call, cookie, signIn } = await open()
  await subscribe({ name: 'Truck', subscription: service.addPhone('phone') })
  const again = await signIn('sam.hill@example.com', cookie)
  expect((await list(again)).devices).toMatchObject([{ name: 'Truck', isThis: true }])
  expect((await call('GET', '/api/today', { cookie })).status).toBe(401)
})

it('a hundred phones ring; one more is refused until another is removed', async () => {
  const { db, service, subscribe, list, call, signIn, cookie } = await open()
  await subscribe({ name: 'first', subscription: service.addPhone('first') })
  const { endpoint, keys } = service.addPhone('phone')
  for (let at = 1; at < 100; at++)
    await saveDevice(db, {
      ...{ id: crypto.randomUUID(), sessionId: `${at}`, endpoint: `${endpoint}${at}`, ...keys },
      ...{
        person: 'Sam',
        name: `${at}`,
        notifyAfterMinutes: 0,
        quietUntil: 0,
        notifyEmergencies: true,
      },
      ...{ createdAt: testTime, goneAt: null },
    })
  const alex = await signIn('alex@example.com')
  const add = () => subscribe({ subscription: service.addPhone('more') }, alex)
  const message = '100 devices ring already: remove some first.'
  expect(await add()).toMatchObject({ status: 409, message })
  const { devices } = await list()
  expect(devices).toHaveLength(100)
  // Whose address changes is no new one.
  expect((await subscribe({ subscription: service.addPhone('moved') })).status).toBe(200)
  await call('DELETE', `/api/devices/${devices.at(-1).id}`, { cookie })
  expect((await add()).status).toBe(200)
})

it.each([
  ['a point that is on no curve', { keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) } }],
  ['another service', { endpoint: 'https://127.0.0.1/x' }],
  ['an address that is none', { endpoint: 'x' }],
  ['a short key', { keys: { p256dh: 'AAAA', auth: 'AAAA' } }],
  ['no keys', { keys: undefined }],
  ['a huge address', { endpoint: `https://${pushHost}/${'x'.repeat(2_000)}` }],
])('%s is refused', async (_, changes) => {
  const { service, subscribe, list } = await open()
  const subscription = { ...service.addPhone('phone'), ...changes }
  expect((await subscribe({ name: 'x', subscription })).status).toBe(400)
  expect((await list()).devices).toEqual([])
})
