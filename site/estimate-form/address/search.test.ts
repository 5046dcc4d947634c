import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Places, Prediction, SuggestionRequest } from './places.ts'
import { createAddressSearch } from './search.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const predict = (text: string, formattedAddress: string | null = `${text}, USA`): Prediction => ({
  placeId: text,
  text: { text },
  mainText: null,
  secondaryText: null,
  toPlace: () => ({ formattedAddress, fetchFields: async () => undefined }),
})

function startSearch(answer: (input: string) => Promise<(Prediction | null)[]>) {
  const requests: SuggestionRequest[] = []
  const found: string[][] = []
  const events: string[] = []
  const places: Places = {
    AutocompleteSessionToken: class {},
    AutocompleteSuggestion: {
      async fetchAutocompleteSuggestions(request) {
        requests.push(request)
        const predictions = await answer(request.input)
        return { suggestions: predictions.map((placePrediction) => ({ placePrediction })) }
      },
    },
  }
  const search = createAddressSearch({
    places,
    region: 'US',
    onFound: (predictions) => found.push(predictions.map(({ text }) => text.text)),
    onFailed: () => events.push('failed'),
    onGiveUp: () => events.push('gave up'),
  })
  const type = async (text: string) => {
    const isSearching = search.search(text)
    await vi.advanceTimersByTimeAsync(1000)
    return isSearching
  }
  return { search, type, requests, found, events }
}

describe('address search', () => {
  test('waits for three characters and sends one request for fast typing', async () => {
    const { search, type, requests } = startSearch(async () => [])
    expect(await type('12')).toBe(false)
    expect(await type('  1 ')).toBe(false)
    for (const text of ['12 ', '12 O', '12 Oa']) {
      search.search(text)
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(await type(' 12 Oak ')).toBe(true)
    expect(requests.map(({ input }) => input)).toEqual(['12 Oak'])
  })

  test('drops a response that arrives after a newer one or after the visitor left the field', async () => {
    const late = Promise.withResolvers<Prediction[]>()
    const { search, type, found } = startSearch(async (input) =>
      input === '12 Oakl' ? [null, predict('12 Oakland Ave')] : late.promise,
    )
    for (const text of ['12 Oak', '12 Oakl', '7 Elm']) await type(text)
    search.cancel()
    late.resolve([predict('12 Oak St')])
    await vi.advanceTimersByTimeAsync(0)
    // The null stands for a suggestion that is not a place, so it is omitted.
    expect(found).toEqual([['12 Oakland Ave']])
  })

  test('stops sending requests after three failures in a row', async () => {
    const { type, requests, events } = startSearch(() => Promise.reject(new Error('quota')))
    for (const text of ['12 O', '12 Oa', '12 Oak', '12 Oak ', '12 Oak S']) await type(text)
    expect(requests).toHaveLength(3)
    expect(events).toEqual(['failed', 'failed', 'failed', 'gave up'])
  })
})
