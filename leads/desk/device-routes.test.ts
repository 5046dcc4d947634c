import { expect, it, onTestFinished } from 'vitest'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { openTestDesk } from '#testing/desk.ts'
import { makePhone } from '#testing/saved-leads.ts'
import { addCrew } from '../store/people.ts'
import { saveDevice } from '../store/push-devices.ts'
import { dayMs } from '../time-units.ts'

async function open() {
  const service = await startFakePush()
  onTestFinished(() => service.close())
  const env = { PUSH_SERVICES: pushHost }
  const desk = await openTestDesk('sqlite', { env, fetch: service.fetch })
  const subscribe = (body: object, as?: string) => desk.post('/api/devices', body, as)
  const list = (as?: string) => desk.get('/api/devices', as)
  return { ...desk, service, subscribe, list }
}

it('renames, tests, turns off, and removes a device', async () => {
  const { service, subscribe, list, call, cookie, wakes } = await open()
  const subscription = service.addPhone('phone')
  expect((await subscribe({ name: 'My phone', subscription })).status).toBe(200)
  // Adding a device wakes the delivery worker, so that the device gets the digest even if we open before the next poll.
  expect(wakes).toHaveLength(1)
  const { devices, publicKey } = await list()
  expect(publicKey).toMatch(/^B[\w-]{86}$/)
  const [{ id }] = devices
  const phone = { id, name: 'My phone', person: 'Sam Hill', schedule: 'always' }
  const state = { isThis: true, canNotify: true, canChange: true, isSilent: false }
  expect(devices).toEqual([{ ...phone, ...state }])

  expect((await call('POST', `/api/devices/${id}/test`, { cookie })).status).toBe(200)
  expect(service.messages[0]?.data.notification.title).toBe('Notifications work')

  const change = async (body: object) =>
    (await call('PUT', `/api/devices/${id}`, { cookie, body })).status
  // Two desks with old data change one setting each.
  expect(await change({ name: 'Truck' })).toBe(200)
  expect(await change({ schedule: 'off' })).toBe(200)
  expect((await list()).devices).toMatchObject([{ name: 'Truck', schedule: 'off' }])
  expect(await call('POST', `/api/devices/${id}/test`, { cookie })).toMatchObject({
    status: 409,
    message: 'Notifications are off for this device. Turn them on, then send a test.',
  })
  expect(service.messages).toHaveLength(1)
  for (const body of [{}, { schedule: 'after-hours' }, { name: 'Van', schedule: 'always' }])
    expect(await change(body)).toBe(400)

  await call('DELETE', `/api/devices/${id}`, { cookie })
  expect((await list()).devices).toEqual([])
  expect(await change({ name: 'Truck' })).toBe(404)
})

it('lets crew members change only their own phones, and owners any', async () => {
  const { db, service, subscribe, list, call, signIn, cookie } = await open()
  await addCrew(db, 'dana@example.com')
  const dana = await signIn('dana@example.com')
  await subscribe({ name: 'Sam’s', subscription: service.addPhone('sam') })
  await subscribe({ name: 'Dana’s', subscription: service.addPhone('dana') }, dana)
  const find = async (name: string, as: string) =>
    (await list(as)).devices.find((one: { name: string }) => one.name === name)
  const turnOff = async (id: string, as: string) => {
    const asked = { cookie: as, body: { schedule: 'off' } }
    const changed = await call('PUT', `/api/devices/${id}`, asked)
    const removed = await call('DELETE', `/api/devices/${id}`, asked)
    return [changed, removed].map(({ status, message }) => [status, message])
  }
  const { id: sams, ...others } = await find('Sam’s', dana)
  expect(others).toMatchObject({ canChange: false, schedule: 'always' })
  const refused = [403, 'Only owners can change other people’s devices.']
  expect(await turnOff(sams, dana)).toEqual([refused, refused])
  expect(await find('Sam’s', cookie)).toMatchObject({ canChange: true, schedule: 'always' })

  // Dana has two browsers.
  const again = await signIn('dana@example.com')
  const { id: danas } = await find('Dana’s', again)
  const done = [200, undefined]
  expect(await turnOff(danas, again)).toEqual([done, done])
  expect(await turnOff(sams, cookie)).toEqual([done, done])
})

it('removes control characters and direction marks from a device’s name', async () => {
  const { service, subscribe, list, call, cookie } = await open()
  await subscribe({ name: 'Sam’s\u001b[2J\u202e phone', subscription: service.addPhone('phone') })
  const [{ id, name }] = (await list()).devices
  expect(name).toBe('Sam’s [2J phone')
  const body = { name: '\u200b\u2800' }
  expect((await call('PUT', `/api/devices/${id}`, { cookie, body })).status).toBe(400)
})

it('explains why a test notification failed', async () => {
  const { service, subscribe, list, post } = await open()
  await subscribe({ name: 'x', subscription: service.addPhone('phone') })
  const [{ id }] = (await list()).devices
  const test = () => post(`/api/devices/${id}/test`)
  service.failNext('phone', { kind: 'status', status: 500 })
  expect(await test()).toMatchObject({
    status: 409,
    message: 'The test wasn’t sent. The push service returned 500. Try again in a minute.',
  })
  service.removePhone('phone')
  expect(await test()).toMatchObject({
    status: 409,
    message: expect.stringContaining('no longer receives'),
  })
  expect((await list()).devices[0].canNotify).toBe(false)
})

it('changes nothing for a known browser, and keeps the settings of a replaced or gone one', async () => {
  const { db, service, subscribe, list, call, signIn, cookie, clock } = await open()
  const subscription = service.addPhone('phone')
  await subscribe({ name: 'Truck', subscription })
  const read = () => db.kysely.selectFrom('pushDevices').selectAll().execute()
  const registered = await read()
  clock.at += 1_000
  await subscribe({ subscription })
  expect(await read()).toEqual(registered)

  const [{ id }] = (await list()).devices
  const body = { schedule: 'business-hours' }
  await call('PUT', `/api/devices/${id}`, { cookie, body })
  const kept = [{ id, name: 'Truck', ...body }]
  service.failNext('phone', { kind: 'status', status: 410 })
  await call('POST', `/api/devices/${id}/test`, { cookie })
  expect((await list()).devices).toMatchObject([{ canNotify: false }])
  await subscribe({ subscription })
  expect((await list()).devices).toMatchObject([{ canNotify: true }])
  const moved = service.addPhone('moved')
  const { auth } = subscription.keys
  for (const keys of [subscription.keys, { ...moved.keys, auth }, moved.keys]) {
    const changed = { ...moved, keys }
    await subscribe({ subscription: changed })
    expect(await read()).toMatchObject([{ endpoint: moved.endpoint, ...keys, goneAt: null }])
  }
  expect((await list()).devices).toMatchObject(kept)
  await subscribe({ subscription: moved }, await signIn('alex@example.com'))
  expect((await list()).devices).toMatchObject([{ ...kept[0], person: 'Alex', isThis: false }])
})

it.each([0, 40])('keeps the device when its browser signs in again after %i days', async (days) => {
  const { service, subscribe, list, get, call, cookie, signIn, clock } = await open()
  await subscribe({ name: 'Truck', subscription: service.addPhone('phone') })
  clock.at += days * dayMs
  const again = await signIn('alex@example.com', cookie)
  expect((await list(again)).devices).toMatchObject([
    { name: 'Truck', person: 'Alex', isThis: true, canNotify: true },
  ])
  expect((await call('GET', '/api/today', { cookie })).status).toBe(401)
  const sam = await signIn()
  const { sessions } = await get('/api/people', sam)
  const phone = sessions.find(({ person }: { person: string }) => person === 'Alex')
  await call('DELETE', `/api/sessions/${phone.id}`, { cookie: sam })
  expect((await list(sam)).devices).toEqual([])
})

it('accepts at most a hundred devices', async () => {
  const { db, service, subscribe, list, call, signIn, cookie } = await open()
  await subscribe({ name: 'first', subscription: service.addPhone('first') })
  for (let at = 1; at < 100; at++)
    await saveDevice(db, makePhone({ id: `phone-${at}`, sessionId: `${at}` }))
  const alex = await signIn('alex@example.com')
  const add = () => subscribe({ subscription: service.addPhone('more') }, alex)
  const message = 'The desk already has 100 devices for notifications. Remove one first.'
  expect(await add()).toMatchObject({ status: 409, message })
  const { devices } = await list()
  expect(devices).toHaveLength(100)
  // A device with a new endpoint does not count as a new device.
  expect((await subscribe({ subscription: service.addPhone('moved') })).status).toBe(200)
  await call('DELETE', `/api/devices/${devices.at(-1).id}`, { cookie })
  expect((await add()).status).toBe(200)
})

it.each([
  ['a point outside the curve', { keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) } }],
  ['another service', { endpoint: 'https://127.0.0.1/x' }],
  ['a malformed address', { endpoint: 'x' }],
  ['a short key', { keys: { p256dh: 'AAAA', auth: 'AAAA' } }],
  ['no keys', { keys: undefined }],
  ['a huge address', { endpoint: `https://${pushHost}/${'x'.repeat(2_000)}` }],
])('rejects %s', async (_, changes) => {
  const { service, subscribe, list } = await open()
  const subscription = { ...service.addPhone('phone'), ...changes }
  expect((await subscribe({ name: 'x', subscription })).status).toBe(400)
  expect((await list()).devices).toEqual([])
})
