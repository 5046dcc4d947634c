import { fillInput } from '../field-input.ts'
import type { OldPlaces } from './places.ts'

/** Google's own widget with its own list, for keys that only have the old API. */
export function attachWidget(input: HTMLInputElement, places: OldPlaces, region: string) {
  keepAttributes(input)
  const widget = new places.Autocomplete(input, {
    types: ['address'],
    fields: ['formatted_address'],
    componentRestrictions: { country: region.toLowerCase() },
  })
  widget.addListener('place_changed', () => {
    const address = widget.getPlace()?.formatted_address
    if (address) fillInput(input, address)
  })
  // Runs before the widget's own listener, which closes the list: Enter on an option must not submit.
  input.addEventListener('keydown', keepEnterFromForm, { capture: true })
}

function keepEnterFromForm(event: KeyboardEvent) {
  if (event.key !== 'Enter') return
  const lists = [...document.querySelectorAll('.pac-container')]
  if (lists.some((list) => list.getClientRects().length > 0)) event.preventDefault()
}

/**
 * The widget turns autofill off, and if Google refuses the key, it disables the field and writes
 * 'Oops!' into it. The visitor must be able to type an address even then.
 */
function keepAttributes(input: HTMLInputElement) {
  const names = ['autocomplete', 'placeholder', 'disabled', 'style']
  const kept = names.map((name) => [name, input.getAttribute(name)] as const)
  new MutationObserver(() => {
    for (const [name, value] of kept) {
      if (input.getAttribute(name) === value) continue
      if (value === null) input.removeAttribute(name)
      else input.setAttribute(name, value)
    }
    if (input.matches('.gm-err-autocomplete')) input.classList.remove('gm-err-autocomplete')
  }).observe(input, { attributeFilter: [...names, 'class'] })
}
