import { formatName } from '#leads/lead.ts'

/** Formats what is in the field without moving the caret or the selection. */
export function formatNameField(field: HTMLInputElement) {
  const formatted = formatName(field.value)
  if (formatted === field.value) return
  const { selectionStart, selectionEnd, selectionDirection } = field
  field.value = formatted
  // Safari moves the focus to a field whose selection is set.
  if (field === document.activeElement)
    field.setSelectionRange(selectionStart, selectionEnd, selectionDirection ?? 'none')
}
