import { keepDraft } from './keep-draft.ts'
import { whenIdle } from './when-idle.ts'

type FormCode = typeof import('./main.tsx')

const contacts = ['pointerdown', 'pointermove', 'touchstart', 'keydown', 'focusin']

// After this long without the form's code, a held press goes out the plain way.
const longestHoldMs = 8_000

// The load event comes before a slow phone has decoded and drawn the picture it waited for.
const settleMs = 1_000

/** Brings the form to life at the first sign of a person. Until then it is a plain HTML form. */
export function loadFormOnContact() {
  const island = document.getElementById('estimate')
  const form = island?.querySelector('form')
  if (!island || !form) return
  const { code: codeUrl = '', draft: draftKey = '' } = island.dataset
  let loading = false
  let pressed = false

  const load = async () => {
    if (loading) return
    loading = true
    try {
      const { hydrateForm }: FormCode = await import(/* @vite-ignore */ codeUrl)
      await hydrateForm()
      release()
    } catch {
      // No code (offline, blocked): the browser posts the form itself. The next contact tries again.
      loading = false
      if (pressed) release()
    }
  }

  // A press that comes before the code does is held, then acted on once, by React or by the browser.
  const hold = (event: Event) => {
    event.preventDefault()
    if (!pressed) setTimeout(() => pressed && release(), longestHoldMs)
    pressed = true
    island.ariaBusy = 'true'
    void load()
  }
  const release = () => {
    for (const type of contacts) removeEventListener(type, load)
    form.removeEventListener('submit', hold)
    form.removeEventListener('invalid', hold, true)
    island.ariaBusy = null
    if (pressed) form.requestSubmit()
    pressed = false
  }

  // The form's code must not touch a field while an input method is at work in it.
  form.addEventListener('compositionstart', () => island.setAttribute('data-composing', ''))
  form.addEventListener('compositionend', () => island.removeAttribute('data-composing'))

  for (const type of contacts) addEventListener(type, load, { passive: true })
  form.addEventListener('submit', hold)
  form.addEventListener('invalid', hold, true)
  keepDraft(form, draftKey)
  if (hasDraft(draftKey)) void load()
  else addEventListener('load', () => setTimeout(() => loading || fetchAhead(codeUrl), settleMs))
  // Only a plain post leads to one of these; everyone else hears by toast.
  if (!location.hash.startsWith('#estimate-'))
    document.getElementById('estimate-outcomes')?.remove()
}

// Not in every browser, and so not in TypeScript's types.
type Connection = { saveData?: boolean; effectiveType?: string }

/** Fetches the form's code without running it, unless the visitor pays for it in time or money. */
function fetchAhead(codeUrl: string) {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData || /[23]g/.test(connection?.effectiveType ?? '')) return
  whenIdle(() => {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = codeUrl
    document.head.append(link)
  })
}

function hasDraft(key: string) {
  try {
    return localStorage.getItem(key) !== null
  } catch {
    return false
  }
}
