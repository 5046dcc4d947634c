import type { NewPlaces, Prediction } from './places.ts'

// Google's types for addresses; a request may have five at most.
const addressTypes = ['street_address', 'premise', 'subpremise', 'route']

// Two letters match half the country, and every request is billed.
const minLength = 3
// Longer than the pause between two keys of a quick typist, shorter than a wait anyone notices.
const debounceMs = 200
// After three failures in a row, a quota or a network will not recover while the visitor types.
const maxFailures = 3

type SearchOptions = {
  places: NewPlaces
  region: string
  onFound: (predictions: Prediction[]) => void
  onFailed: () => void
  onGiveUp: () => void
}

/** Requests addresses from Google, as few as possible. A late response never replaces a newer one. */
export function createAddressSearch({
  places,
  region,
  onFound,
  onFailed,
  onGiveUp,
}: SearchOptions) {
  // Google bills all requests with the same token, up to a choice, as one session.
  let sessionToken: object | undefined
  let turn = 0
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function noteFailure() {
    failures += 1
    if (failures === maxFailures) {
      cancel()
      onGiveUp()
    }
  }

  async function ask(input: string, mine: number) {
    sessionToken ??= new places.AutocompleteSessionToken()
    try {
      const { suggestions } = await places.AutocompleteSuggestion.fetchAutocompleteSuggestions({
        input,
        includedPrimaryTypes: addressTypes,
        includedRegionCodes: [region.toLowerCase()],
        sessionToken,
      })
      failures = 0
      if (mine !== turn) return
      onFound(suggestions.flatMap(({ placePrediction }) => placePrediction ?? []))
    } catch {
      if (mine === turn) onFailed()
      noteFailure()
    }
  }

  /** Drops the pending request and the one under way. */
  function cancel() {
    turn += 1
    clearTimeout(timer)
  }

  return {
    cancel,

    /** Returns whether the text is long enough; the suggestions come later, in `onFound`. */
    search(text: string) {
      cancel()
      const input = text.trim()
      if (input.length < minLength || failures >= maxFailures) return false
      timer = setTimeout(ask, debounceMs, input, turn)
      return true
    },

    /** Returns the formatted address of the choice, if the place has one. Ends the session. */
    async findAddress(prediction: Prediction) {
      cancel()
      sessionToken = undefined
      const place = prediction.toPlace()
      try {
        await place.fetchFields({ fields: ['formattedAddress'] })
        return place.formattedAddress || undefined
      } catch {
        noteFailure()
        return undefined
      }
    },
  }
}
