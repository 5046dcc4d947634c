import type { Page } from '@playwright/test'

/*
 * A fake for the part of Google's maps script that the form uses, which is the Places data API. It also rejects some
 * requests that Google would accept and bill, such as a search in a session that has ended.
 */

type Search = { input: string; types: string[]; regions: string[]; session: number }
type Details = { place: string; fields: string[]; session: number }

type FakeOptions = {
  /** Blocks the script, as an ad blocker does. */
  blocked?: boolean
  /** Delays the script until this promise resolves. */
  arrives?: Promise<void>
  /** Returns the suggestions for an input, or undefined for the default ones. */
  answer?: (input: string) => string[] | undefined
  /** The formatted address of a place. */
  format?: (place: string) => string | null | Promise<string | null>
}

const oaks = [
  '12 Oak St, Denver, CO',
  '12 Oak Ave, Boulder, CO',
  '12 Oakland Dr, Aurora, CO',
  '12 Oakwood Ct, Golden, CO',
  '12 Oak Creek Ln, Littleton, CO',
]

/** Intercepts this page's requests to Google, and records them. */
export async function fakeGoogleMaps(page: Page, options: FakeOptions = {}) {
  const { blocked, arrives, answer } = options
  const { format = (place: string) => `${place} 80202, USA` } = options
  const requests = { scripts: [] as URL[], searches: [] as Search[], details: [] as Details[] }

  await page.exposeFunction('answerSearch', (search: Search) => {
    requests.searches.push(search)
    return answer?.(search.input) ?? oaks
  })
  await page.exposeFunction('answerDetails', (details: Details) => {
    requests.details.push(details)
    return format(details.place)
  })
  await page.route(/^https:\/\/[^/]*\.(google|googleapis|gstatic)\.com\//, async (route) => {
    const url = new URL(route.request().url())
    if (url.pathname !== '/maps/api/js') throw new Error(`Unexpected request for ${url}`)
    requests.scripts.push(url)
    await arrives
    if (blocked) return route.abort('blockedbyclient')
    return route.fulfill({ contentType: 'text/javascript', body: `(${mapsScript})()` })
  })
  const rejectKey = () => page.evaluate(() => (window as unknown as Globals).gm_authFailure())
  return { ...requests, rejectKey }
}

type Globals = { gm_authFailure(): void }

type Answers = {
  answerSearch(search: Search): Promise<string[]>
  answerDetails(details: Details): Promise<string | null>
}

/** The fake script, which runs in the page. */
function mapsScript() {
  const { answerSearch, answerDetails } = window as unknown as Answers

  function allowOnly(request: object, ...names: string[]) {
    const unknown = Object.keys(request).filter((name) => !names.includes(name))
    if (unknown.length > 0) throw new Error(`InvalidValueError: unknown property ${unknown}`)
  }

  let sessions = 0
  class AutocompleteSessionToken {
    session = ++sessions
    ended = false
  }

  // Google returns text as objects that convert to strings.
  const makeText = (text: string) => ({ text, matches: [], toString: () => text })

  const predict = (address: string, token: AutocompleteSessionToken) => {
    const [main = '', ...others] = address.split(', ')
    const toPlace = () => ({
      formattedAddress: undefined as string | null | undefined,
      async fetchFields({ fields, ...rest }: { fields: string[] }) {
        allowOnly(rest)
        token.ended = true
        const { session } = token
        this.formattedAddress = await answerDetails({ place: address, fields, session })
        return { place: this }
      },
    })
    return {
      placeId: `place-${address}`,
      text: makeText(address),
      mainText: makeText(main),
      secondaryText: makeText(others.join(', ')),
      toPlace,
    }
  }

  const AutocompleteSuggestion = {
    async fetchAutocompleteSuggestions(request: {
      input: string
      includedPrimaryTypes: string[]
      includedRegionCodes: string[]
      sessionToken: AutocompleteSessionToken
    }) {
      const { input, includedPrimaryTypes, includedRegionCodes, sessionToken, ...rest } = request
      allowOnly(rest, 'language', 'region', 'locationBias', 'locationRestriction', 'origin')
      if (includedPrimaryTypes.length > 5) throw new Error('INVALID_ARGUMENT: more than 5 types')
      if (!(sessionToken instanceof AutocompleteSessionToken)) throw new Error('no session token')
      if (sessionToken.ended) throw new Error('the session of this token has ended')
      const addresses = await answerSearch({
        input,
        types: includedPrimaryTypes,
        regions: includedRegionCodes,
        session: sessionToken.session,
      })
      return {
        suggestions: addresses.map((address) => ({
          placePrediction: predict(address, sessionToken),
        })),
      }
    },
  }

  const maps: { places?: object; importLibrary?: () => Promise<object> } = {}
  Object.assign(window, { google: { maps } })
  const places = { AutocompleteSessionToken, AutocompleteSuggestion }
  const library = new Promise<object>((resolve) => {
    // With loading=async, the library loads after the script.
    setTimeout(() => {
      maps.places = places
      resolve(places)
    }, 150)
  })
  maps.importLibrary = () => library
}
