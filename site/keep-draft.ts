/** Keeps what is typed, from the first keystroke on. estimate-form/draft.ts gives it back. */
export function keepDraft(form: HTMLFormElement, storageKey: string) {
  form.addEventListener('input', () => {
    const fields = [...form.querySelectorAll<HTMLInputElement>('.field [name]')]
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    try {
      localStorage.setItem(storageKey, JSON.stringify({ savedAt: Date.now(), values }))
    } catch {
      // Full or blocked: then it lasts as long as the page.
    }
  })
}
