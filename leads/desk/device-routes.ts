import * as v from 'valibot'
import { isPushService, sendPush } from '../channels/push.ts'
import {
  canNotify,
  changeDevice,
  type PushDevice,
  removeDevices,
  saveDevice,
} from '../store/push-devices.ts'
import { readVapidKeys } from '../store/stored-settings.ts'
import { type DeskContext, type Route, readBody, refuse } from './routes.ts'

/** Without the device's address and keys, which stay on the server. */
export type DeviceCard = Pick<
  PushDevice,
  'id' | 'person' | 'name' | 'notifyAfterMinutes' | 'quietUntil' | 'notifyEmergencies'
> & { canNotify: boolean; isThis: boolean }

// A crew has a dozen devices; more than this comes from a script.
const mostDevices = 100

export function createDeviceRoutes(context: DeskContext): Route[] {
  const { db, env, now, readDevices } = context
  return [
    {
      method: 'GET',
      path: '/api/devices',
      answer: async (c, session) => {
        const { publicKey } = await readVapidKeys(db, env.contactUrl)
        const devices = (await readDevices()).map((device): DeviceCard => {
          const { id, person, name, notifyAfterMinutes, quietUntil, notifyEmergencies } = device
          return {
            ...{ id, person, name, notifyAfterMinutes, quietUntil, notifyEmergencies },
            canNotify: canNotify(device),
            isThis: device.sessionId === session.id,
          }
        })
        return c.json({ publicKey, devices, steps: [0, ...env.escalateAfterMinutes] })
      },
    },
    {
      method: 'POST',
      path: '/api/devices',
      answer: async (c, session) => {
        const asked = await readBody(c, newDevice)
        if (!asked) return refuse(c, 400, 'This browser’s registration cannot be understood.')
        const { endpoint, keys } = asked.subscription
        if (!isPushService(endpoint, env.push?.services ?? []))
          return refuse(
            c,
            400,
            `Unknown push service ${findHost(endpoint)}. To allow it, add it to PUSH_SERVICES.`,
          )
        if (!(await isPoint(keys.p256dh)))
          return refuse(c, 400, 'This browser’s registration cannot be understood.')
        const devices = await readDevices()
        const own = devices.find(
          (device) => device.sessionId === session.id || device.endpoint === endpoint,
        )
        if (!own && devices.length >= mostDevices)
          return refuse(
            c,
            409,
            `${mostDevices} devices receive notifications already. Remove some first.`,
          )
        await saveDevice(db, {
          ...{ notifyAfterMinutes: 0, quietUntil: 0, notifyEmergencies: true, name: 'A phone' },
          id: crypto.randomUUID(),
          // The settings and pending notifications stay when the browser's address changes.
          ...own,
          ...(asked.name !== undefined && { name: asked.name }),
          ...{ sessionId: session.id, person: session.person },
          ...{ endpoint, ...keys, createdAt: now(), goneAt: null },
        })
        return c.json({ ok: true })
      },
    },
    {
      method: 'PUT',
      path: '/api/devices/:id',
      answer: async (c) => {
        const asked = await readBody(c, changes)
        if (!asked) return refuse(c, 400, 'This cannot be understood.')
        const isThere = await changeDevice(db, c.req.param('id') ?? '', asked)
        return isThere ? c.json({ ok: true }) : refuse(c, 404, gone)
      },
    },
    {
      method: 'DELETE',
      path: '/api/devices/:id',
      answer: async (c) => {
        const id = c.req.param('id') ?? ''
        await db.kysely.transaction().execute((trx) => removeDevices(trx, { id }, now()))
        return c.json({ ok: true })
      },
    },
    {
      method: 'POST',
      path: '/api/devices/:id/test',
      answer: async (c) => {
        const device = (await readDevices()).find(({ id }) => id === c.req.param('id'))
        if (!device || !canNotify(device)) return refuse(c, 404, gone)
        const signal = AbortSignal.timeout(testMs)
        const sent = await sendPush(testMessage, device, context, signal)
        if (!sent.ok) return refuse(c, 409, sent.error)
        // A note means that the device is gone.
        return sent.note ? refuse(c, 409, gone) : c.json({ ok: true })
      },
    },
  ] as Route[]
}

const testMs = 8_000
const gone =
  'This device no longer receives notifications. Open the desk there and turn them on again.'
const testMessage = {
  title: 'Notifications work',
  body: 'The next lead will look and sound like this.',
  leadId: 'test',
  isTest: true,
  isEmergency: false,
  isAnswered: false,
  ttlSeconds: 60,
}

/** Any 65 bytes look like a key; only some are one. */
const isPoint = (p256dh: string): Promise<boolean> =>
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

const findHost = (endpoint: string) => (URL.canParse(endpoint) ? new URL(endpoint).hostname : '')

const name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60))
const bytes = (length: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[\w-]+={0,2}$/),
    v.check((text) => Buffer.from(text, 'base64url').length === length),
  )
const newDevice = v.object({
  name: v.optional(name),
  subscription: v.object({
    endpoint: v.string(),
    // An uncompressed point and a secret, as RFC 8291 has them.
    keys: v.object({ p256dh: bytes(65), auth: bytes(16) }),
  }),
})
const changes = v.object({
  name,
  notifyAfterMinutes: v.pipe(v.number(), v.minValue(0), v.maxValue(10)),
  quietUntil: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e13)),
  notifyEmergencies: v.boolean(),
})
