import { expect, it, vi } from 'vitest'

type Click = { action: string; notification: object; waitUntil(work: Promise<void>): void }

it('opens a new window when the open one cannot be navigated', async () => {
  const listeners = new Map<string, (event: Click) => void>()
  const desk = { navigate: vi.fn(async () => {}), focus: vi.fn(async () => {}) }
  const clients = { matchAll: async () => [desk], openWindow: vi.fn(async () => {}) }
  vi.stubGlobal('clients', clients)
  vi.stubGlobal('addEventListener', (type: string, listener: (event: Click) => void) =>
    listeners.set(type, listener),
  )
  await import('./sw.ts')
  const tap = async () => {
    let work: Promise<void> | undefined
    const notification = { close: () => {}, data: { leadId: '7' } }
    const waitUntil = (promise: Promise<void>) => {
      work = promise
    }
    listeners.get('notificationclick')?.({ action: '', notification, waitUntil })
    await work
  }
  await tap()
  expect(desk.navigate).toHaveBeenLastCalledWith('/#/lead/7')
  expect(clients.openWindow).not.toHaveBeenCalled()
  desk.navigate.mockRejectedValueOnce(new TypeError('Cannot navigate'))
  await tap()
  expect(clients.openWindow).toHaveBeenLastCalledWith('/#/lead/7')
})
