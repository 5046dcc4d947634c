import { afterEach, expect, test, vi } from 'vitest'
import { request } from './api.ts'

afterEach(() => vi.unstubAllGlobals())

function interruptResponse(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"leads":['))
      controller.error(new Error('The connection is lost.'))
    },
  })
  return new Response(body, { headers: { etag: '"1"' } })
}

test('a change succeeds even if its response is interrupted', async () => {
  vi.stubGlobal('fetch', async () => interruptResponse())
  await expect(request('POST', '/api/leads/1/done')).resolves.toBeUndefined()
})

test('a GET fails and is not cached if its response is interrupted', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>()
  fetch.mockResolvedValueOnce(interruptResponse())
  fetch.mockResolvedValueOnce(Response.json({ leads: [] }))
  vi.stubGlobal('fetch', fetch)
  await expect(request('GET', '/api/today')).rejects.toThrow(
    'The connection was interrupted. Try again.',
  )
  await expect(request('GET', '/api/today')).resolves.toEqual({ leads: [] })
  expect(fetch.mock.lastCall?.[1]?.headers).toEqual({})
})
