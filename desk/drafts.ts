import { unlessBlocked } from '#site/unless-blocked.ts'
import { createSignal, useSignal } from './signal.ts'

// Notes, new leads, and corrections that are not sent yet. The browser deletes them when the tab closes.
const drafts = createSignal()
// If the browser's storage is full or blocked, drafts exist only in memory.
const typed = new Map<string, string>()
const nameKey = (leadId: string) => `note ${leadId}`

export const readDraft = (leadId: string) =>
  typed.get(leadId) ?? unlessBlocked(() => sessionStorage.getItem(nameKey(leadId))) ?? ''

export function saveDraft(leadId: string, text: string) {
  typed.set(leadId, text)
  unlessBlocked(() => sessionStorage.setItem(nameKey(leadId), text))
  drafts.notify()
}

/** Removes all drafts, because they must not outlive the session. */
export function clearDrafts() {
  typed.clear()
  unlessBlocked(() => sessionStorage.clear())
  drafts.notify()
}

export const useDraft = (leadId: string) =>
  useSignal(
    drafts,
    () => readDraft(leadId),
    () => '',
  )
