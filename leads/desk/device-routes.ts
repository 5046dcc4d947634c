import * as v from 'valibot'
import { isPushService, sendPush } from '../alerts/push.ts'
import type { Env } from '../settings.ts'
import {
  changeDevice,
  listDevices,
  type PushDevice,
  removeDevices,
  saveDevice,
  strikeOffDevice,
} from '../store/push-devices.ts'
import type { Database } from '../store/tables.ts'
import { readVapidKeys } from '../store/vapid-keys.ts'
import { type Route, readBody, refuse } from './routes.ts'

export type DeviceRouteOptions = {
  db: Database
  push: Env['push']
  escalateAfterMinutes: readonly number[]
  fetch: typeof fetch
  now: () => number
}

/** What the desk shows of a device; its address and keys stay here. */
export type DeviceCard = Pick<
  PushDevice,
  'id' | 'person' | 'name' | 'ringsFrom' | 'quietUntil' | 'emergenciesRing' | 'goneAt'
> & { isThis: boolean }

// A crew is a dozen; more than this is somebody's script.
const mostDevices = 100

/** Phones that ring: named, tested, paused and removed by whoever is at the desk. */
export function createDeviceRoutes(options: DeviceRouteOptions): Route[] {
  const { db, push, escalateAfterMinutes, fetch, now } = options
  return [
    {
      method: 'GET',
      path: '/api/devices',
      answer: async (c, session) => {
        const { publicKey } = await readVapidKeys(db, push.subject)
        const devices = (await listDevices(db)).map((device): DeviceCard => {
          const { id, person, name, ringsFrom, quietUntil, emergenciesRing, goneAt } = device
          const isThis = device.sessionId === session.id
          return { id, person, name, ringsFrom, quietUntil, emergenciesRing, goneAt, isThis }
        })
        return c.json({ publicKey, devices, steps: [0, ...escalateAfterMinutes] })
      },
    },
    {
      method: 'POST',
      path: '/api/devices',
      answer: async (c, session) => {
        const asked = await readBody(c, newDevice)
        if (!asked) return refuse(c, 400, 'This browser’s registration cannot be understood.')
        const { endpoint, keys } = asked.subscription
        if (!isPushService(endpoint, push.services))
          return refuse(
            c,
            400,
            `Nobody here knows the push service ${findHost(endpoint)}. If it is right, add it to PUSH_SERVICES.`,
          )
        if (!(await isPoint(keys.p256dh)))
          return refuse(c, 400, 'This browser’s registration cannot be understood.')
        const devices = await listDevices(db)
        const own = devices.find(
          (device) => device.sessionId === session.id || device.endpoint === endpoint,
        )
        if (!own && devices.length >= mostDevices)
          return refuse(c, 409, `${mostDevices} devices ring already: remove some first.`)
        await saveDevice(db, {
          ...{ ringsFrom: 0, quietUntil: 0, emergenciesRing: true, name: 'A phone' },
          // What was set here stays when the browser's address changes.
          ...own,
          ...(asked.name !== undefined && { name: asked.name }),
          ...{ id: crypto.randomUUID(), sessionId: session.id, person: session.person },
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
        const device = (await listDevices(db)).find(({ id }) => id === c.req.param('id'))
        if (!device) return refuse(c, 404, gone)
        const vapid = await readVapidKeys(db, push.subject)
        const signal = AbortSignal.timeout(testMs)
        const sent = await sendPush(testRing, device, { ...push, vapid }, { fetch, signal })
        if (sent.ok && !sent.gone) return c.json({ ok: true })
        if (sent.gone) await strikeOffDevice(db, device.id, now())
        return refuse(c, 409, sent.ok ? gone : sent.error)
      },
    },
  ] as Route[]
}

const testMs = 8_000
const gone = 'This device is gone. Press “Ring this phone” on it again.'
const testRing = {
  title: 'This phone rings',
  body: 'The next request for an estimate will sound like this.',
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

const findHost = (endpoint: string) =>
  URL.canParse(endpoint) ? new URL(endpoint).hostname : 'it names'

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
  ringsFrom: v.pipe(v.number(), v.minValue(0), v.maxValue(10)),
  quietUntil: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e13)),
  emergenciesRing: v.boolean(),
})
