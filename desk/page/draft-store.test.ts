import { expect, onTestFinished, test, vi } from 'vitest'
import { minuteMs } from '#leads/time-units.ts'
import { createDraftStore } from './draft-store.ts'

const page = { isHere: true, number: 1, draft: { hero: { title: 'Roofs' } } }

/** Saves a change. The server responds to each attempt with this status. */
async function saveWith(status: number) {
  const saved = vi.fn(() => Response.json({}, { status }))
  vi.stubGlobal('fetch', async (_: string, { method }: RequestInit) =>
    method === 'PUT' ? saved() : Response.json(page),
  )
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const store = createDraftStore('sam@example.com')
  store.start()
  await vi.advanceTimersByTimeAsync(1)
  store.change('hero.title', () => 'Better roofs')
  await vi.advanceTimersByTimeAsync(minuteMs)
  return { attempts: saved.mock.calls.length, ...store.read() }
}

test('retries while the server fails, but not after the session has ended', async () => {
  expect(await saveWith(503)).toMatchObject({ attempts: 20, save: 'failed' })
  expect(await saveWith(401)).toMatchObject({
    attempts: 1,
    save: 'failed',
    draft: { hero: { title: 'Better roofs' } },
  })
})
