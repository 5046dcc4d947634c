import type { Places, Prediction } from './places.ts'

// Google's place types for addresses. A request may list at most five.
const addressTypes = ['street_address', 'premise', 'subpremise', 'route']

// Shorter text matches too many addresses to be worth a request.
const minLength = 3
// Longer than a fast typist's pause between keystrokes, but too short to notice.
const debounceMs = 200
// After three failures in a row, recovery is unlikely while the visitor types.
const maxFailures = 3

type SearchOptions = {
  places: Places
  region: string
  onFound: (predictions: Prediction[]) => void
  onFailed: () => void
  onGiveUp: () => void
}

/** Searches for addresses with as few requests as possible. A late response never replaces newer suggestions. */
export function createAddressSearch({
  places,
  region,
  onFound,
  onFailed,
  onGiveUp,
}: SearchOptions) {
  // Google bills all requests with the same token, from the first search to the visitor's choice, as one session.
  let sessionToken: object | undefined
  let latestId = 0
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function countFailure() {
    failures += 1
    if (failures === maxFailures) {
      cancel()
      onGiveUp()
    }
  }

  async function request(input: string, id: number) {
    sessionToken ??= new places.AutocompleteSessionToken()
    try {
      const { suggestions } = await places.AutocompleteSuggestion.fetchAutocompleteSuggestions({
        input,
        includedPrimaryTypes: addressTypes,
        includedRegionCodes: [region.toLowerCase()],
        sessionToken,
      })
      failures = 0
      if (id !== latestId) return
      onFound(suggestions.flatMap(({ placePrediction }) => placePrediction ?? []))
    } catch {
      if (id === latestId) onFailed()
      countFailure()
    }
  }

  /** Cancels the scheduled request and ignores the response to a request that is already sent. */
  function cancel() {
    latestId += 1
    clearTimeout(timer)
  }

  return {
    cancel,

    /** Returns false if it does not search, such as when the text is too short. */
    search(text: string) {
      cancel()
      const input = text.trim()
      if (input.length < minLength || failures >= maxFailures) return false
      timer = setTimeout(request, debounceMs, input, latestId)
      return true
    },

    /** Returns the formatted address of the chosen place, if it has one, and ends the session. */
    async findAddress(prediction: Prediction) {
      cancel()
      sessionToken = undefined
      const place = prediction.toPlace()
      try {
        await place.fetchFields({ fields: ['formattedAddress'] })
        return place.formattedAddress || undefined
      } catch {
        countFailure()
        return undefined
      }
    },
  }
}
