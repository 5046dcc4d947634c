import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'estimate-draft'
const maxAgeMs = 24 * 60 * 60_000

/**
 * Saves the fields on this device from the first keystroke on, so that a reload or a closed tab loses
 * nothing. Each change makes a new idempotency key, which is saved with the fields and sent with
 * them by React and by the browser alike. A success and a day delete the draft.
 */
export function saveDraft(form: HTMLFormElement) {
  const fields = [...form.querySelectorAll<HTMLInputElement>('.field [name]')]
  const key = form.elements.namedItem('idempotencyKey') as HTMLInputElement
  const save = () => {
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
    const draft = JSON.stringify({ savedAt: Date.now(), values, idempotencyKey: key.value })
    unlessBlocked(() => localStorage.setItem(storageKey, draft))
  }

  // After Back or a reload the browser restores the fields, and their key with them.
  const draft = key.value ? undefined : readDraft()
  const isRestored = Boolean(key.value || draft)
  if (draft) {
    // A visitor may type before this script runs; then the key belongs to other values.
    const isWhole = fields.every(({ name, value }) => !value || value === draft.values?.[name])
    for (const field of fields) field.value ||= draft.values?.[field.name] ?? ''
    if (isWhole) key.value = draft.idempotencyKey ?? ''
  }

  form.addEventListener('input', () => {
    key.value = makeKey()
    save()
  })
  // React resets the form, the key included, after a success.
  form.addEventListener('reset', deleteDraft)
  // Fires when the browser posts the form and when React reads it. Some autofill fires no input event.
  form.addEventListener('formdata', ({ formData }) => {
    key.value ||= makeKey()
    save()
    formData.set('idempotencyKey', key.value)
    // A restored form may be sent at once, and the sender is no robot for that.
    if (!isRestored) formData.set('elapsedMs', String(Math.round(performance.now())))
  })
}

function readDraft() {
  const draft = unlessBlocked(() => JSON.parse(localStorage.getItem(storageKey) ?? '{}'))
  const ageMs = Date.now() - draft?.savedAt
  if (ageMs >= 0 && ageMs < maxAgeMs) return draft
  deleteDraft()
}

export const deleteDraft = () => unlessBlocked(() => localStorage.removeItem(storageKey))

// Not crypto.randomUUID, which browsers offer on secure pages only.
const makeKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => (byte + 256).toString(16).slice(1))
    .join('')
