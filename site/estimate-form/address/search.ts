import type { NewPlaces, Prediction } from './places.ts'

// What Google counts as an address; a request may name five kinds at most.
const addressTypes = ['street_address', 'premise', 'subpremise', 'route']

// Two letters match half the country, and every request is billed.
const minLength = 3
// Longer than the pause between two keys of a quick typist, shorter than a wait anyone notices.
const debounceMs = 200
// A quota or a network that failed three times running will not recover while the visitor types.
const maxFailures = 3

type SearchOptions = {
  places: NewPlaces
  region: string
  onFound: (predictions: Prediction[]) => void
  onFailed: () => void
  onGiveUp: () => void
}

/** Asks Google for addresses, as little as possible, and never lets a late answer replace a newer. */
export function createAddressSearch({
  places,
  region,
  onFound,
  onFailed,
  onGiveUp,
}: SearchOptions) {
  // Google bills all requests up to a choice as one session, as long as they carry the same token.
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

  /** Forgets what is asked or about to be. */
  function cancel() {
    turn += 1
    clearTimeout(timer)
  }

  return {
    cancel,

    /** Whether the text is enough to go by; the answer comes later. */
    search(text: string) {
      cancel()
      const input = text.trim()
      if (input.length < minLength || failures >= maxFailures) return false
      timer = setTimeout(ask, debounceMs, input, turn)
      return true
    },

    /** The formatted address of what was chosen, where the place has one. Ends the session. */
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
