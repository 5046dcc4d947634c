/* Loads Google's Places library, and declares types for the parts that the form uses. */

type Text = { text: string }

type Place = {
  formattedAddress?: string | null
  fetchFields(request: { fields: ['formattedAddress'] }): Promise<unknown>
}

export type Prediction = {
  placeId: string
  text: Text
  mainText: Text | null
  secondaryText: Text | null
  toPlace(): Place
}

export type SuggestionRequest = {
  input: string
  includedPrimaryTypes: string[]
  includedRegionCodes: string[]
  sessionToken: object
}

export type Places = {
  AutocompleteSessionToken: new () => object
  AutocompleteSuggestion: {
    fetchAutocompleteSuggestions(
      request: SuggestionRequest,
    ): Promise<{ suggestions: { placePrediction: Prediction | null }[] }>
  }
}

type Maps = {
  places?: Partial<Places>
  importLibrary?: (name: 'places') => Promise<unknown>
}

declare global {
  interface Window {
    google?: { maps?: Maps }
    /** Google calls this function when it rejects the key. */
    gm_authFailure?: () => void
  }
}

const pollMs = 100
// Twice the time that the script needs on the slowest usable connection.
const giveUpMs = 120_000

/**
 * Loads Google's script and waits for the Places library. Returns undefined if the script does
 * not load or Google rejects the key. `refused` aborts if Google rejects the key later.
 */
export async function loadPlaces(key: string, region: string) {
  const refusal = new AbortController()
  const refused = refusal.signal
  window.gm_authFailure = () => refusal.abort()

  const script = document.createElement('script')
  script.src = `https://maps.googleapis.com/maps/api/js?${new URLSearchParams({
    key,
    v: 'weekly',
    loading: 'async',
    libraries: 'places',
    language: document.documentElement.lang,
    region,
  })}`
  script.async = true
  document.head.append(script)

  const places = await new Promise<Places | undefined>((resolve) => {
    let isRequested = false
    // Poll, because with `loading=async`, the script's load event fires before the library is ready.
    const timer = setInterval(() => {
      const maps = window.google?.maps
      const { AutocompleteSuggestion, AutocompleteSessionToken } = maps?.places ?? {}
      if (AutocompleteSuggestion && AutocompleteSessionToken)
        stop({ AutocompleteSuggestion, AutocompleteSessionToken })
      else if (!isRequested && maps?.importLibrary) {
        isRequested = true
        maps.importLibrary('places').catch(() => stop())
      }
    }, pollMs)
    const deadline = setTimeout(() => stop(), giveUpMs)
    script.onerror = () => stop()
    refused.addEventListener('abort', () => stop())

    function stop(places?: Places) {
      clearInterval(timer)
      clearTimeout(deadline)
      resolve(places)
    }
  })
  return places && { places, refused }
}
