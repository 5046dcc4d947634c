import { dayMs } from '#leads/time-units.ts'
import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'estimate-draft'
const maxAgeMs = dayMs

/**
 * Saves the fields on this device after every keystroke, so that nothing is lost when the page is reloaded or closed.
 * Each change creates a new idempotency key, which is saved and sent with the fields. The draft is deleted after a
 * success or after a day.
 */
export function autosaveDraft(form: HTMLFormElement, source: string) {
  const fields = [...form.querySelectorAll<HTMLInputElement>('.field [name]')]
  const key = form.elements.namedItem('idempotencyKey') as HTMLInputElement
  const save = () => {
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    const draft = JSON.stringify({ savedAt: Date.now(), values, idempotencyKey: key.value })
    unlessBlocked(() => localStorage.setItem(storageKey, draft))
  }

  // After Back or a reload, the browser may already have restored the fields and their key.
  const draft = key.value ? undefined : readDraft()
  const isRestored = Boolean(key.value || draft)
  if (draft) {
    // Fill in the empty fields. Restore the key only if the fields then match the draft, because the key must not be
    // sent with any other values.
    const isUnchanged = fields.every(({ name, value }) => !value || value === draft.values?.[name])
    for (const field of fields) field.value ||= draft.values?.[field.name] ?? ''
    if (isUnchanged) key.value = draft.idempotencyKey ?? ''
  }

  form.addEventListener('input', () => {
    key.value = makeKey()
    save()
  })
  // After a success, React resets the form, including the key.
  form.addEventListener('reset', deleteDraft)
  // This event fires when the browser posts the form and when React reads it. The key may still be missing,
  // because some autofill fires no input event.
  form.addEventListener('formdata', ({ formData }) => {
    key.value ||= makeKey()
    save()
    formData.set('idempotencyKey', key.value)
    formData.set('source', source)
    // Omit the elapsed time for a restored form, because submitting it immediately is not a sign of spam.
    if (!isRestored) formData.set('elapsedMs', performance.now().toFixed())
  })
}

function readDraft() {
  const draft = unlessBlocked(() => JSON.parse(localStorage.getItem(storageKey) ?? ''))
  const ageMs = Date.now() - draft?.savedAt
  if (ageMs >= 0 && ageMs < maxAgeMs) return draft
  deleteDraft()
}

export const deleteDraft = () => unlessBlocked(() => localStorage.removeItem(storageKey))

// crypto.randomUUID is available only over HTTPS or on localhost.
const makeKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
