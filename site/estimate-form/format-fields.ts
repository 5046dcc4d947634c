import { formatName, formatPhone } from '#leads/lead.ts'

/** Formats the phone field and keeps the caret after the same digit. */
export function formatPhoneField(field: HTMLInputElement) {
  const formatted = formatPhone(field.value)
  if (formatted === field.value) return
  const caret = field.selectionEnd ?? field.value.length
  const digitsAfterCaret = countDigits(field.value.slice(caret))
  field.value = formatted
  let offset = formatted.length
  while (countDigits(formatted.slice(offset)) < digitsAfterCaret) offset--
  // In Safari, setting the selection moves the focus.
  if (field === document.activeElement) field.setSelectionRange(offset, offset)
}

const countDigits = (text: string) => text.replace(/\D/g, '').length

/** Formats the name field without moving the caret or the selection. */
export function formatNameField(field: HTMLInputElement) {
  const formatted = formatName(field.value)
  if (formatted === field.value) return
  const { selectionStart, selectionEnd, selectionDirection } = field
  field.value = formatted
  // In Safari, setting the selection moves the focus.
  if (field === document.activeElement)
    field.setSelectionRange(selectionStart, selectionEnd, selectionDirection ?? 'none')
}
