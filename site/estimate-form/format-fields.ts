import { formatName } from '#leads/lead.ts'

/**
 * Formats a US number while it is typed, as phones do: 555-1234, then (555) 123-4567. Foreign numbers,
 * extensions, and words stay unchanged.
 */
export function formatPhone(phone: string) {
  if (!/^\+?[\d\s().-]*$/.test(phone)) return phone
  let digits = phone.replace(/\D/g, '')
  if (/^1\d{10}$/.test(digits)) digits = digits.slice(1)
  // No US area code starts with 0 or 1, so this is a country code or a foreign number.
  else if (phone.startsWith('+') || /^[01]/.test(digits)) return phone
  if (digits.length < 4 || digits.length > 10) return phone
  if (digits.length < 8) return `${digits.slice(0, 3)}-${digits.slice(3)}`
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`
}

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
