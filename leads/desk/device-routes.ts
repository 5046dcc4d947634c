import { Buffer } from 'node:buffer'
import * as v from 'valibot'
import { isPushService, sendPush } from '../channels/push.ts'
import { schedules } from '../hours.ts'
import {
  canNotify,
  changeDevice,
  type DeviceChange,
  isOn,
  listSilentDevices,
  type PushDevice,
  recordReceipt,
  removeDevice,
  saveDevice,
} from '../store/push-devices.ts'
import { readVapidKeys } from '../store/stored-settings.ts'
import { nameSchema } from './people-routes.ts'
import {
  type DeskApp,
  type DeskContext,
  type DeskRequest,
  readBody,
  refuse,
  type Session,
} from './routes.ts'

/** Omits the device's endpoint and keys, which must stay on the server. */
export type DeviceCard = Pick<PushDevice, 'id' | 'person' | 'name' | 'schedule'> & {
  canNotify: boolean
  canChange: boolean
  isThis: boolean
  /** True if the device confirmed none of its last 3 alerts. */
  isSilent: boolean
}

// Far more than a real crew has, but few enough to stop a script.
const maxDevices = 100

export function addDeviceRoutes(app: DeskApp, context: DeskContext): void {
  const { db, env, now, readDevices, wake } = context
  app.get('/api/devices', async (c) => {
    const { publicKey } = await readVapidKeys(db, env.contactUrl)
    const found = await readDevices()
    const silent = await listSilentDevices(db, found, now())
    const devices = found.map((device): DeviceCard => {
      const { id, person, name, schedule } = device
      return {
        ...{ id, person, name, schedule },
        isThis: device.sessionId === c.var.session.id,
        canNotify: canNotify(device),
        canChange: mayChange(c.var.session, device),
        isSilent: silent.includes(device),
      }
    })
    return c.json({ publicKey, devices })
  })
  app.post('/api/devices', async (c) => {
    const { name, subscription } = await readBody(c, newDevice, badRegistration)
    const { endpoint, keys } = subscription
    if (!isPushService(endpoint, env.push?.services ?? []))
      return refuse(
        c,
        400,
        `Notifications from this browser go through ${readHost(endpoint)}, which this site doesn’t allow yet. Use Chrome, Edge, Firefox, or Safari, or ask the person who set up this site to allow it.`,
      )
    if (!(await isValidKey(keys.p256dh))) return refuse(c, 400, badRegistration)
    const devices = await readDevices()
    const own = devices.find(
      (device) => device.sessionId === c.var.session.id || device.endpoint === endpoint,
    )
    if (!own && devices.length >= maxDevices)
      return refuse(
        c,
        409,
        `The desk already has ${maxDevices} devices for notifications. Remove one first.`,
      )
    // The desk registers its browser each time it opens, and usually nothing has changed.
    const isSame =
      own?.sessionId === c.var.session.id &&
      own.endpoint === endpoint &&
      own.p256dh === keys.p256dh &&
      own.auth === keys.auth &&
      own.goneAt === null
    if (isSame && name === undefined) return c.json({ ok: true })
    await saveDevice(db, {
      id: crypto.randomUUID(),
      name: 'A device',
      schedule: 'always',
      // Keep the settings and pending notifications when the browser's push endpoint changes.
      ...own,
      ...(name !== undefined && { name }),
      sessionId: c.var.session.id,
      person: c.var.session.person,
      endpoint,
      ...keys,
      createdAt: now(),
    })
    wake()
    return c.json({ ok: true })
  })
  const isRefused = async (c: DeskRequest) => {
    const device = (await readDevices()).find(({ id }) => id === c.req.param('id'))
    return device !== undefined && !mayChange(c.var.session, device)
  }
  app.put('/api/devices/:id', async (c) => {
    const body: DeviceChange = await readBody(c, change, badChange)
    if (await isRefused(c)) return refuse(c, 403, notOwn)
    const exists = await changeDevice(db, c.req.param('id'), body)
    return exists ? c.json({ ok: true }) : refuse(c, 404, gone)
  })
  app.delete('/api/devices/:id', async (c) => {
    if (await isRefused(c)) return refuse(c, 403, notOwn)
    await removeDevice(db, c.req.param('id'))
    return c.json({ ok: true })
  })
  app.post('/api/devices/:id/test', async (c) => {
    const device = (await readDevices()).find(({ id }) => id === c.req.param('id'))
    if (!device || !canNotify(device)) return refuse(c, 404, gone)
    if (!isOn(device)) return refuse(c, 409, turnedOff)
    const signal = context.timers.timeout(testTimeoutMs)
    const sent = await sendPush(testMessage, device, context, signal)
    if (sent.ok) return c.json({ ok: true })
    if (sent.isUndeliverable) return refuse(c, 409, gone)
    return refuse(c, 409, `The test wasn’t sent. ${sent.error} Try again in a minute.`)
  })
  app.post('/api/notifications', async (c) => {
    const body = await readBody(c, receipt, 'The report is invalid.')
    await recordReceipt(db, c.var.session.id, body, now())
    return c.json({ ok: true })
  })
}

const mayChange = ({ email, role }: Session, device: PushDevice): boolean =>
  role === 'owner' || device.email === email

const notOwn = 'Only owners can change other people’s devices.'
const badRegistration =
  'Notifications couldn’t be turned on in this browser. Reload the page and try again.'
const badChange = 'This setting couldn’t be saved. Reload the page and try again.'
const testTimeoutMs = 8_000
const gone =
  'This device no longer receives notifications. Open the desk on it and turn them on again.'
const turnedOff = 'Notifications are off for this device. Turn them on, then send a test.'
const testMessage = {
  title: 'Notifications work',
  body: 'The next lead will look and sound like this.',
  leadId: 'test',
  opensList: true,
  ttlSeconds: 60,
  messageId: 'test',
}

/** Checks that the bytes are a point on the curve. */
const isValidKey = (p256dh: string): Promise<boolean> =>
  crypto.subtle
    .importKey(
      'raw',
      Buffer.from(p256dh, 'base64url'),
      { name: 'ECDH', namedCurve: 'P-256' },
      false,
      [],
    )
    .then(
      () => true,
      () => false,
    )

const readHost = (endpoint: string) => (URL.canParse(endpoint) ? new URL(endpoint).hostname : '')

const bytes = (length: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[\w-]+={0,2}$/),
    v.check((text) => Buffer.from(text, 'base64url').length === length),
  )
const newDevice = v.object({
  name: v.optional(nameSchema),
  subscription: v.object({
    endpoint: v.string(),
    // RFC 8291: an uncompressed point and a secret.
    keys: v.object({ p256dh: bytes(65), auth: bytes(16) }),
  }),
})
const receipt = v.object({
  isTapped: v.boolean(),
  messageId: v.pipe(v.string(), v.maxLength(64)),
})
const change = v.union([
  v.strictObject({ name: nameSchema }),
  v.strictObject({ schedule: v.picklist(schedules) }),
])
