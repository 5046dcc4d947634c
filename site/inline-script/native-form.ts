import { loadFormOnInteraction } from './load-form.ts'
import { readSource } from './read-source.ts'
import { deleteDraft, saveDraft } from './save-draft.ts'

/** Until React is ready, the browser posts the form. This adds the behavior that plain HTML lacks. */
export function prepareForm() {
  const island = document.getElementById('estimate')
  const form = island?.querySelector('form')
  const outcomes = document.getElementById('estimate-outcomes')
  if (!form || !outcomes) return

  const checkSubmit = (event: Event) => {
    // React sets this during hydration and then checks the fields itself.
    if (form.noValidate) return
    const required = form.querySelectorAll<HTMLInputElement>('[required]')
    const missing = [...required].find(({ value }) => !value.trim())
    // Without a network, the browser would replace the page with an error page.
    if (navigator.onLine && !missing) return
    event.preventDefault()
    outcomes.dataset.notice = navigator.onLine ? 'incomplete' : 'offline'
    missing?.focus()
  }
  const hideNotice = () => delete outcomes.dataset.notice
  form.addEventListener('submit', checkSubmit)
  form.addEventListener('invalid', checkSubmit, true)
  form.addEventListener('input', hideNotice)
  addEventListener('online', hideNotice)

  showOutcome(outcomes)
  saveDraft(form)
  const source = readSource()
  form.addEventListener('formdata', ({ formData }) => formData.set('source', source))
  loadFormOnInteraction(island?.dataset.code ?? '')
}

/** Shows the outcome of a native post, which the server puts in the fragment of the URL. */
function showOutcome(outcomes: HTMLElement) {
  const outcome = document.getElementById(location.hash.slice(1))
  if (outcome?.parentElement !== outcomes) return
  outcome.dataset.shown = ''
  // Remove the fragment, so that a reload does not show the outcome again or delete the next draft.
  history.replaceState(history.state, '', location.pathname + location.search)
  if (outcome.id.startsWith('estimate-received')) deleteDraft()
}
