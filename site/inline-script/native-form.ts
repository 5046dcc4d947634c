import { loadFormOnContact } from './load-form.ts'
import { readSource } from './read-source.ts'
import { deleteDraft, saveDraft } from './save-draft.ts'

/** Until React is ready, the browser posts the form. This adds what plain HTML cannot do. */
export function prepareForm() {
  const island = document.getElementById('estimate')
  const form = island?.querySelector('form')
  const outcomes = document.getElementById('estimate-outcomes')
  if (!form || !outcomes) return

  const checkPress = (event: Event) => {
    // React sets it when it takes over, and checks the fields itself.
    if (form.noValidate) return
    const missing = form.querySelectorAll<HTMLInputElement>('[required]')
    const first = [...missing].find(({ value }) => !value.trim())
    // Without a network the browser would replace the page with an error.
    if (navigator.onLine && !first) return
    event.preventDefault()
    outcomes.dataset.notice = navigator.onLine ? 'incomplete' : 'offline'
    first?.focus()
  }
  const hideNotice = () => delete outcomes.dataset.notice
  form.addEventListener('submit', checkPress)
  form.addEventListener('invalid', checkPress, true)
  form.addEventListener('input', hideNotice)
  addEventListener('online', hideNotice)

  showOutcome(outcomes)
  saveDraft(form)
  const source = readSource()
  form.addEventListener('formdata', ({ formData }) => formData.set('source', source))
  loadFormOnContact(island?.dataset.code ?? '')
}

/** Shows the outcome of a native post, which the server names in the fragment of the page's address. */
function showOutcome(outcomes: HTMLElement) {
  const outcome = document.getElementById(location.hash.slice(1))
  if (outcome?.parentElement !== outcomes) return
  outcome.dataset.shown = ''
  // A reload must not show it again, or delete the next draft.
  history.replaceState(history.state, '', location.pathname + location.search)
  if (outcome.id === 'estimate-received') deleteDraft()
}
