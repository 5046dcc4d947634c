import { loadFormOnInteraction } from './load-form.ts'
import { autosaveDraft, deleteDraft } from './save-draft.ts'
import { findVisitSource } from './visit-source.ts'

/**
 * Adds what plain HTML forms lack, because the browser posts the form until React is ready. Returns a function that
 * preloads React.
 */
export function prepareForm(island: HTMLElement) {
  const form = island.querySelector('form') as HTMLFormElement
  const notices = document.getElementById('estimate-notices') as HTMLElement
  const [incomplete, offline] = notices.children as unknown as [HTMLElement, HTMLElement]

  const showError = (field: HTMLInputElement, kind?: 'missing' | 'wrong') => {
    const error = document.getElementById(`${field.name}-error`)
    field.ariaInvalid = kind ? 'true' : null
    if (error) error.textContent = (kind && error.dataset[kind]) ?? ''
  }

  const checkSubmit = (event: Event) => {
    // React sets this during hydration, because it then checks the fields itself.
    if (form.noValidate) return
    const required = [...form.querySelectorAll<HTMLInputElement>('[required]')]
    const isMissing = ({ value }: HTMLInputElement) => !value.trim()
    const wrong = required.filter((field) => isMissing(field) || !field.validity.valid)
    const [first] = wrong
    // Without a network, the browser would replace the page with an error page. navigator.onLine can be wrong, so let
    // the second attempt through.
    if (!first && (navigator.onLine || !offline.hidden)) return
    event.preventDefault()
    incomplete.hidden = !wrong.some(isMissing)
    offline.hidden = Boolean(first)
    for (const field of wrong) showError(field, isMissing(field) ? 'missing' : 'wrong')
    first?.focus()
    // If the field was already focused, the visitor may have scrolled it behind the header.
    first?.scrollIntoView({ block: 'nearest' })
  }
  form.addEventListener('submit', checkSubmit)
  form.addEventListener('invalid', checkSubmit, true)
  form.addEventListener('input', ({ target }) => {
    incomplete.hidden = offline.hidden = true
    showError(target as HTMLInputElement)
  })

  autosaveDraft(form, findVisitSource())
  return loadFormOnInteraction(island.dataset.code as string)
}

/**
 * Shows the outcome of a native post, which the server puts in the URL's fragment. Returns true if there is one.
 */
export function showOutcome() {
  const outcome = document.getElementById(location.hash.slice(1))
  if (!outcome?.matches('.outcome')) return false
  outcome.dataset.shown = ''
  // Remove the fragment, so that a reload does not show the outcome again or delete the next draft.
  history.replaceState(null, '', location.pathname + location.search)
  if (/received/.test(outcome.id)) deleteDraft()
  return true
}
