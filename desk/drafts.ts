import { createSignal, useSignal } from './signal.ts'

// Notes that are being written. The browser deletes them when the tab closes.
const drafts = createSignal()
const nameKey = (leadId: string) => `note ${leadId}`

export const readDraft = (leadId: string) => sessionStorage.getItem(nameKey(leadId)) ?? ''

export function saveDraft(leadId: string, text: string) {
  if (text) sessionStorage.setItem(nameKey(leadId), text)
  else sessionStorage.removeItem(nameKey(leadId))
  drafts.notify()
}

/** Removes all notes that were not sent, because they must not outlive the session. */
export function clearDrafts() {
  sessionStorage.clear()
  drafts.notify()
}

export const useDraft = (leadId: string) =>
  useSignal(
    drafts,
    () => readDraft(leadId),
    () => '',
  )
