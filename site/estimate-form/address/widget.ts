import { fillInput } from '../field-input.ts'
import type { OldPlaces } from './places.ts'

/** Google's own suggestions, list included, for keys that know only the old widget. */
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
  // Before the widget's own listener, which closes the list: the key that chooses must not submit.
  input.addEventListener('keydown', keepEnterFromForm, { capture: true })
}

function keepEnterFromForm(event: KeyboardEvent) {
  if (event.key !== 'Enter') return
  const lists = [...document.querySelectorAll('.pac-container')]
  if (lists.some((list) => list.getClientRects().length > 0)) event.preventDefault()
}

/**
 * The widget switches autofill off, and when the key is refused it disables the field and writes
 * 'Oops!' into it. A visitor must be able to type an address whatever Google thinks of the key.
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
