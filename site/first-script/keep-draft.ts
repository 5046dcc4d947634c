/*
 * What is typed is kept on this device, from the first keystroke on, so that a reload or a closed tab
 * loses nothing. It is gone after a success (estimate-form/attempt.ts clears it) and after a day.
 */
const keptMs = 24 * 60 * 60_000

export function keepDraft(form: HTMLFormElement, storageKey: string) {
  const fields = [...form.querySelectorAll<HTMLInputElement>('.field [name]')]
  const draft = readKept(storageKey, 'savedAt')
  if (draft) {
    for (const field of fields) field.value ||= draft.values?.[field.name] ?? ''
    // A visitor who finds the form filled in may press at once, and is no robot for that.
    form.toggleAttribute('data-restored', true)
  }

  form.addEventListener('input', () => {
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    const draft = JSON.stringify({ savedAt: Date.now(), values })
    unlessBlocked(() => localStorage.setItem(storageKey, draft))
  })
}

/** What was kept under this key within the last day. */
export function readKept(storageKey: string, timeField: 'savedAt' | 'madeAt') {
  const kept = unlessBlocked(() => JSON.parse(localStorage.getItem(storageKey) ?? '{}'))
  const ageMs = Date.now() - kept?.[timeField]
  if (ageMs >= 0 && ageMs < keptMs) return kept
  forget([storageKey])
}

export const forget = (storageKeys: string[]) =>
  unlessBlocked(() => {
    for (const key of storageKeys) localStorage.removeItem(key)
  })

/** Full or blocked storage throws: then what is typed lasts as long as the page. */
export function unlessBlocked<Result>(use: () => Result) {
  try {
    return use()
  } catch {
    return undefined
  }
}
