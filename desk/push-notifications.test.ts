import { beforeEach, expect, it, vi } from 'vitest'
import { repairSubscription } from './push-notifications.ts'

const own = { isThis: true, canNotify: true, isSilent: false }
let devices: object[] = []
const calls: string[] = []
const pushManager = {
  subscribe: vi.fn(async () => ({ toJSON: () => ({ endpoint: 'endpoint-1' }) })),
  getSubscription: async () => ({ unsubscribe: async () => void calls.push('unsubscribe') }),
}
const serviceWorker = {
  register: async () => {},
  ready: Promise.resolve({ pushManager }),
}

beforeEach(() => {
  calls.length = 0
  pushManager.subscribe.mockClear()
  vi.stubGlobal('window', { PushManager: true, Notification: true })
  vi.stubGlobal('navigator', { serviceWorker })
  vi.stubGlobal('Notification', { permission: 'granted' })
  vi.stubGlobal('fetch', async (path: string, { method, body }: RequestInit) => {
    calls.push([method, path, body].join(' ').trim())
    return Response.json({ publicKey: 'key', devices })
  })
})

const list = 'GET /api/devices'
const register = 'POST /api/devices {"subscription":{"endpoint":"endpoint-1"}}'

it.each<[string, object, string[]]>([
  ['as it is', own, [list, register]],
  [
    'again after the push service dropped it',
    { ...own, canNotify: false },
    [list, 'unsubscribe', register],
  ],
  ['again if it may not be receiving', { ...own, isSilent: true }, [list, 'unsubscribe', register]],
  ['not if notifications are off here', { ...own, isThis: false }, [list]],
])('registers the subscription %s', async (_, device, expected) => {
  devices = [device]
  await repairSubscription()
  expect(calls).toEqual(expected)
})

it('sends no request without permission', async () => {
  vi.stubGlobal('Notification', { permission: 'default' })
  await repairSubscription()
  expect(calls).toEqual([])
})

it('replaces a subscription of another server key, and passes on other errors', async () => {
  devices = [own]
  pushManager.subscribe.mockRejectedValueOnce(new DOMException('', 'InvalidStateError'))
  await repairSubscription()
  expect(calls).toEqual([list, 'unsubscribe', register])
  calls.length = 0
  pushManager.subscribe.mockRejectedValueOnce(new DOMException('', 'AbortError'))
  await expect(repairSubscription()).rejects.toThrow()
  expect(calls).toEqual([list])
})
