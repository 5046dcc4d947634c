import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

type Push = {
  data: { json(): object }
  waitUntil(work: Promise<unknown>): void
}

/** Runs the service worker with a fake browser that shows one notification per tag. */
async function openWorker() {
  const shown = new Map<string, { title: string; data: unknown; close(): void }>()
  const listeners = new Map<string, (event: Push) => void>()
  vi.stubGlobal('addEventListener', (type: string, listener: (event: Push) => void) =>
    listeners.set(type, listener),
  )
  vi.stubGlobal('fetch', async () => new Response())
  vi.stubGlobal('registration', {
    async showNotification(title: string, { tag, data }: { tag: string; data: unknown }) {
      shown.set(tag, { title, data, close: () => shown.delete(tag) })
    },
    getNotifications: async ({ tag }: { tag: string }) =>
      [...shown].flatMap(([other, one]) => (other === tag ? [one] : [])),
  })
  await import('./sw.ts')
  let messages = 0
  return {
    push(title: string, isCalled: boolean) {
      messages += 1
      const receipt = { messageId: `${messages}` }
      const message = { notification: { title, tag: 'jane' }, lead: { isCalled }, receipt }
      listeners.get('push')?.({ data: { json: () => message }, waitUntil() {} })
    },
    listTitles: () => [...shown.values()].map(({ title }) => title),
  }
}

test('closes the news of a call after 4 seconds, but no newer notification', async () => {
  vi.useFakeTimers()
  const { push, listTitles } = await openWorker()
  push('Sam is calling Jane', true)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(listTitles()).toEqual(['Sam is calling Jane'])
  push('Jane: call now', false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(listTitles()).toEqual(['Jane: call now'])
  push('Dana is calling Jane', true)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(listTitles()).toEqual([])
})
