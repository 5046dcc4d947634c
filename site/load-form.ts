type FormCode = typeof import('./main.tsx')

const contacts = ['pointerdown', 'pointermove', 'touchstart', 'keydown', 'focusin']

/** Brings the form to life at the first sign of a person. Until then it is a plain HTML form. */
export function loadFormOnContact() {
  const island = document.getElementById('estimate')
  const form = island?.querySelector('form')
  const codeUrl = island?.dataset.code
  if (!form || !codeUrl) return
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
    pressed = true
    void load()
  }
  const release = () => {
    for (const type of contacts) removeEventListener(type, load)
    form.removeEventListener('submit', hold)
    form.removeEventListener('invalid', hold, true)
    if (pressed) form.requestSubmit()
  }

  // The form's code must not touch a field while an input method is at work in it.
  form.addEventListener('compositionstart', () => form.setAttribute('data-composing', ''))
  form.addEventListener('compositionend', () => form.removeAttribute('data-composing'))

  for (const type of contacts) addEventListener(type, load, { passive: true })
  form.addEventListener('submit', hold)
  form.addEventListener('invalid', hold, true)
}
