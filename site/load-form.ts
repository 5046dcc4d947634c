const contacts = ['pointerdown', 'pointermove', 'touchstart', 'keydown', 'focusin']

/** Brings the form to life at the first sign of a person. Until then it is a plain HTML form. */
export function loadFormOnContact() {
  const form = document.querySelector<HTMLFormElement>('#estimate form')
  if (!form) return
  let loading = false
  let pressed = false

  const load = async () => {
    if (loading) return
    loading = true
    try {
      const { hydrateForm } = await import('./main.tsx')
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

  for (const type of contacts) addEventListener(type, load, { passive: true })
  form.addEventListener('submit', hold)
  form.addEventListener('invalid', hold, true)
}
