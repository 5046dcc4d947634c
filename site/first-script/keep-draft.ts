/*
 * What is typed is kept on this device, from the first keystroke on, so that a reload or a closed tab
 * loses nothing. It is gone after a success (estimate-form/attempt.ts clears it) and after a day.
 */
const keptMs = 24 * 60 * 60_000

export const isKept = (at: number) => at <= Date.now() && Date.now() - at < keptMs

export function keepDraft(form: HTMLFormElement, storageKey: string) {
  const fields = [...form.querySelectorAll<HTMLInputElement>('.field [name]')]
  try {
    const { savedAt, values } = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    if (isKept(savedAt)) {
      for (const field of fields) field.value ||= values[field.name] ?? ''
      // Whoever finds the form filled in may press at once, and is no robot for that.
      form.toggleAttribute('data-restored', true)
    } else {
      localStorage.removeItem(storageKey)
    }
  } catch {
    // Blocked, or not ours: there is no draft then.
  }

  form.addEventListener('input', () => {
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    try {
      localStorage.setItem(storageKey, JSON.stringify({ savedAt: Date.now(), values }))
    } catch {
      // Full or blocked: then it lasts as long as the page.
    }
  })
}
