import { loadFormOnInteraction } from './load-form.ts'
import { readSource } from './read-source.ts'
import { deleteDraft, saveDraft } from './save-draft.ts'

/** Until React is ready, the browser posts the form. This adds the behavior that plain HTML lacks. */
export function prepareForm() {
  const island = document.getElementById('estimate') as HTMLElement
  const form = island.querySelector('form') as HTMLFormElement
  const outcomes = document.getElementById('estimate-outcomes') as HTMLElement

  const checkSubmit = (event: Event) => {
    // React sets this during hydration and then checks the fields itself.
    if (form.noValidate) return
    const required = [...form.querySelectorAll<HTMLInputElement>('[required]')]
    const empty = required.filter(({ value }) => !value.trim())
    const [first] = empty
    // Without a network, the browser would replace the page with an error page. navigator.onLine can be
    // wrong, so let a second press through.
    const isRepeated = outcomes.dataset.notice === 'offline' && !outcomes.hidden
    if (!first && (navigator.onLine || isRepeated)) return
    event.preventDefault()
    outcomes.dataset.notice = first ? 'incomplete' : 'offline'
    outcomes.hidden = false
    outcomes.scrollIntoView({ block: 'nearest' })
    for (const field of empty) field.ariaInvalid = 'true'
    first?.focus()
  }
  form.addEventListener('submit', checkSubmit)
  form.addEventListener('invalid', checkSubmit, true)
  form.addEventListener('input', ({ target }) => {
    outcomes.hidden = true
    ;(target as Element).ariaInvalid = null
  })

  showOutcome(outcomes)
  saveDraft(form, readSource())
  loadFormOnInteraction(island.dataset.code as string)
}

/** Shows the outcome of a native post, which the server puts in the fragment of the URL. */
function showOutcome(outcomes: HTMLElement) {
  const outcome = document.getElementById(location.hash.slice(1))
  if (outcome?.parentElement !== outcomes) return
  outcome.dataset.shown = ''
  // Remove the fragment, so that a reload does not show the outcome again or delete the next draft.
  history.replaceState(null, '', location.pathname + location.search)
  if (/received/.test(outcome.id)) deleteDraft()
}
