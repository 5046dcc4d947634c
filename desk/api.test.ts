import { afterEach, expect, test, vi } from 'vitest'
import { ask } from './api.ts'

afterEach(() => vi.unstubAllGlobals())

test('an answer that breaks off is no answer, and is not remembered as one', async () => {
  const brokenOff = new ReadableStream({
    start(body) {
      body.enqueue(new TextEncoder().encode('{"leads":['))
      body.error(new Error('The line is gone.'))
    },
  })
  const fetch = vi.fn<typeof globalThis.fetch>()
  fetch.mockResolvedValueOnce(new Response(brokenOff, { headers: { etag: '"1"' } }))
  fetch.mockResolvedValueOnce(Response.json({ leads: [] }))
  vi.stubGlobal('fetch', fetch)
  await expect(ask('GET', '/api/today')).rejects.toThrow('The answer broke off. Try again.')
  await expect(ask('GET', '/api/today')).resolves.toEqual({ leads: [] })
  expect(fetch.mock.lastCall?.[1]?.headers).toEqual({})
})
