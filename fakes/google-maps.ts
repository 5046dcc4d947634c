import type { Page } from '@playwright/test'

/*
 * A fake of the parts of Google's maps script that the form uses: the data API, the old widget with its
 * changes to the field, and the failures of both. It rejects undocumented requests, which Google would
 * accept and bill.
 */

type Search = { input: string; types: string[]; regions: string[]; session: number }
type Details = { place: string; fields: string[]; session: number }

type FakeOptions = {
  /** The data API, or only the old widget. */
  offers?: 'new' | 'old'
  /** Blocks the script, like an ad blocker. */
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

/** Fakes Google's URLs for this page and records the requests. */
export async function fakeGoogleMaps(page: Page, options: FakeOptions = {}) {
  const { offers = 'new', blocked, arrives, answer } = options
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
    const body = `(${mapsScript})(${JSON.stringify(offers)})`
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  const rejectKey = () => page.evaluate(() => (window as unknown as Globals).rejectKey())
  return { ...requests, rejectKey }
}

type Globals = { gm_authFailure(): void; rejectKey(): void }

type Answers = {
  answerSearch(search: Search): Promise<string[]>
  answerDetails(details: Details): Promise<string | null>
}

/** Runs in the page. */
function mapsScript(offers: NonNullable<FakeOptions['offers']>) {
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

  class Autocomplete {
    #input: HTMLInputElement
    #list = document.createElement('div')
    #listeners: (() => void)[] = []
    #place: { name: string } | { formatted_address: string | null } | undefined
    #selected = -1

    constructor(
      input: HTMLInputElement,
      { types, fields, componentRestrictions, ...rest }: WidgetOptions,
    ) {
      allowOnly(rest)
      this.#input = input
      widgets.push(this)
      input.classList.add('pac-target-input')
      input.setAttribute('autocomplete', 'off')
      input.setAttribute('placeholder', input.getAttribute('placeholder') ?? 'Enter a location')
      this.#list.className = 'pac-container pac-logo'
      this.#list.style.display = 'none'
      document.body.append(this.#list)

      input.addEventListener('input', async (event) => {
        if (!(event as InputEvent).inputType) return
        const typed = input.value
        const regions = [componentRestrictions.country]
        const search = { input: typed, types, regions, session: 0 }
        const addresses = typed ? await answerSearch(search) : []
        // Ignore results for an earlier text.
        if (input.value === typed) this.#show(addresses)
      })
      input.addEventListener('keydown', (event) => {
        if (this.#list.style.display === 'none') return
        const items = [...this.#list.children]
        if (event.key === 'ArrowDown') this.#selected = (this.#selected + 1) % items.length
        for (const [index, item] of items.entries()) {
          item.classList.toggle('pac-item-selected', index === this.#selected)
        }
        if (event.key === 'Enter') void this.#choose(items[this.#selected]?.textContent, fields)
      })
      this.#list.addEventListener('mousedown', (event) => {
        event.preventDefault()
        void this.#choose((event.target as Element).textContent, fields)
      })
      input.addEventListener('blur', () => this.#show([]))
    }

    getPlace() {
      return this.#place
    }

    addListener(event: string, listener: () => void) {
      if (event === 'place_changed') this.#listeners.push(listener)
    }

    /** Changes the field as Google does when it rejects the key. */
    fail() {
      this.#input.disabled = true
      this.#input.placeholder = 'Oops! Something went wrong.'
      this.#input.classList.add('gm-err-autocomplete')
      this.#input.style.backgroundImage = 'none'
    }

    #show(addresses: string[]) {
      this.#selected = -1
      this.#list.replaceChildren(
        ...addresses.map((address) => {
          const item = document.createElement('div')
          item.className = 'pac-item'
          item.textContent = address
          return item
        }),
      )
      const { left, bottom } = this.#input.getBoundingClientRect()
      Object.assign(this.#list.style, {
        display: addresses.length > 0 ? '' : 'none',
        position: 'absolute',
        zIndex: '1000',
        background: '#fff',
        left: `${left + scrollX}px`,
        top: `${bottom + scrollY}px`,
      })
    }

    async #choose(address: string | null | undefined, fields: string[]) {
      this.#show([])
      // Enter without a selection returns a place with only the typed text.
      if (!address) this.#place = { name: this.#input.value }
      else {
        this.#input.value = address
        const formatted = await answerDetails({ place: address, fields, session: 0 })
        this.#place = { formatted_address: formatted }
      }
      for (const listener of this.#listeners) listener()
    }
  }

  type WidgetOptions = {
    types: string[]
    fields: string[]
    componentRestrictions: { country: string }
  }
  const widgets: Autocomplete[] = []

  const maps: { places?: object; importLibrary?: () => Promise<object> } = {}
  const rejectKey = () => {
    for (const widget of widgets) widget.fail()
    ;(window as unknown as Globals).gm_authFailure()
  }
  Object.assign(window, { google: { maps }, rejectKey })

  const places = {
    new: { AutocompleteSessionToken, AutocompleteSuggestion, Autocomplete },
    old: { Autocomplete },
  }[offers]
  const library = new Promise<object>((resolve) => {
    // With loading=async the library loads after the script.
    setTimeout(() => {
      maps.places = places
      resolve(places)
    }, 150)
  })
  if (offers !== 'old') maps.importLibrary = () => library
}
