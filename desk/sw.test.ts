import { expect, it, vi } from 'vitest'

type Event = { waitUntil(work: Promise<void>): void }

const listeners = new Map<string, (event: Event) => void>()
const steps: string[] = []
const step = (name: string) =>
  vi.fn(async (...args: unknown[]) => void steps.push(`${name} ${args[0]}`))
const desk = { navigate: step('navigate'), focus: step('focus') }
const clients = { matchAll: async () => [desk], openWindow: step('open') }
const registration = { showNotification: step('show'), getNotifications: async () => [] }
const fetch = vi.fn(async (path: string, { body }: RequestInit): Promise<Response> => {
  steps.push(`${path} ${body}`)
  return Response.json({})
})
vi.stubGlobal('clients', clients)
vi.stubGlobal('registration', registration)
vi.stubGlobal('fetch', fetch)
vi.stubGlobal('addEventListener', (type: string, listener: (event: Event) => void) =>
  listeners.set(type, listener),
)
await import('./sw.ts')

const receipt = { reason: 'received', leadIds: ['7'] }
const lead = { leadId: '7', opensList: false, isEmergency: false, isCalled: false }

/** Returns the worker's steps after the event has been handled. */
async function dispatch(type: string, event: object) {
  steps.length = 0
  const work: Promise<void>[] = []
  listeners.get(type)?.({ ...event, waitUntil: (promise) => work.push(promise) })
  await Promise.all(work)
  return steps.filter((name) => !name.startsWith('focus'))
}
const tap = () =>
  dispatch('notificationclick', {
    action: '',
    notification: { close: () => {}, data: { ...lead, receipt } },
  })
const notify = () => {
  const notification = { title: 'Jane', body: '', tag: '7', silent: false }
  return dispatch('push', { data: { json: () => ({ notification, lead, receipt }) } })
}
const shown = '/api/notifications {"reason":"received","leadIds":["7"],"isTapped":false}'
const tapped = shown.replace('false', 'true')

it('opens a new window when the open one cannot be navigated', async () => {
  expect(await tap()).toContain('navigate /#/lead/7')
  expect(clients.openWindow).not.toHaveBeenCalled()
  desk.navigate.mockRejectedValueOnce(new TypeError('Cannot navigate'))
  await tap()
  expect(clients.openWindow).toHaveBeenLastCalledWith('/#/lead/7')
})

it('reports a notification once it is shown, and when it is tapped', async () => {
  expect(await notify()).toEqual(['show Jane', shown])
  expect((await tap()).toSorted()).toEqual([tapped, 'navigate /#/lead/7'])
  fetch.mockRejectedValue(new TypeError('offline'))
  expect(await notify()).toEqual(['show Jane'])
  expect(await tap()).toEqual(['navigate /#/lead/7'])
  // A report that hangs does not delay the window.
  fetch.mockReturnValue(new Promise(() => {}))
  void tap()
  await vi.waitFor(() => expect(steps).toEqual(['navigate /#/lead/7', 'focus undefined']))
})
