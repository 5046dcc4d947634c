import { fillInput, setAttributes } from '../field-input.ts'
import type { OldPlaces } from './places.ts'

/** Attaches Google's widget, which shows its own list, for API keys that support only the old API. */
export function attachWidget(input: HTMLInputElement, places: OldPlaces, region: string) {
  restoreAttributes(input)
  const widget = new places.Autocomplete(input, {
    types: ['address'],
    fields: ['formatted_address'],
    componentRestrictions: { country: region.toLowerCase() },
  })
  widget.addListener('place_changed', () => {
    const address = widget.getPlace()?.formatted_address
    if (address) fillInput(input, address)
  })
  // Listen in the capture phase, before the widget closes the list, because Enter on an option must not submit.
  input.addEventListener('keydown', blockSubmitFromList, { capture: true })
}

function blockSubmitFromList(event: KeyboardEvent) {
  if (event.key !== 'Enter') return
  const lists = [...document.querySelectorAll('.pac-container')]
  if (lists.some((list) => list.getClientRects().length > 0)) event.preventDefault()
}

/**
 * The widget turns off autofill. If Google rejects the key, it also disables the field and shows 'Oops!'
 * in it. Undo that, so that visitors can always type an address.
 */
function restoreAttributes(input: HTMLInputElement) {
  const names = ['autocomplete', 'placeholder', 'disabled', 'style']
  const originals = Object.fromEntries(names.map((name) => [name, input.getAttribute(name)]))
  new MutationObserver(() => {
    setAttributes(input, originals)
    if (input.matches('.gm-err-autocomplete')) input.classList.remove('gm-err-autocomplete')
  }).observe(input, { attributeFilter: [...names, 'class'] })
}
