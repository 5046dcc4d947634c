import { afterEach, expect, test, vi } from 'vitest'
import { ask } from './api.ts'

afterEach(() => vi.unstubAllGlobals())

/** The line is gone in the middle of it. */
function breakOff(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"leads":['))
      controller.error(new Error('The line is gone.'))
    },
  })
  return new Response(body, { headers: { etag: '"1"' } })
}

test('what was done is done, whether the answer arrives whole or not', async () => {
  vi.stubGlobal('fetch', async () => breakOff())
  await expect(ask('POST', '/api/leads/1/done')).resolves.toBeUndefined()
})

test('an answer that breaks off is no answer, and is not remembered as one', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>()
  fetch.mockResolvedValueOnce(breakOff())
  fetch.mockResolvedValueOnce(Response.json({ leads: [] }))
  vi.stubGlobal('fetch', fetch)
  await expect(ask('GET', '/api/today')).rejects.toThrow('The answer broke off. Try again.')
  await expect(ask('GET', '/api/today')).resolves.toEqual({ leads: [] })
  expect(fetch.mock.lastCall?.[1]?.headers).toEqual({})
})
