import { formatName } from '#leads/lead.ts'

/**
 * Formats a US number as (555) 123-4567, also while it is being typed. Anything else (a foreign
 * number, an extension, words) stays as it is.
 */
export function formatPhone(phone: string, { isWhole = false } = {}) {
  if (!/^\+?[\d\s().-]*$/.test(phone)) return phone
  let digits = phone.replace(/\D/g, '')
  if (/^1\d{10}$/.test(digits)) digits = digits.slice(1)
  // No US area code begins with 1 or 0, so this is a country code or not a US number.
  else if (phone.startsWith('+') || /^[01]/.test(digits)) return phone
  if (digits.length < 4 || digits.length > 10) return phone
  // Seven digits may be the start of ten, but in a finished number the area code is missing.
  if (isWhole && digits.length === 7) return `${digits.slice(0, 3)}-${digits.slice(3)}`
  const [area, exchange, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return line ? `(${area}) ${exchange}-${line}` : `(${area}) ${exchange}`
}

/** Formats the phone field. The caret stays behind the same digit. */
export function formatPhoneField(field: HTMLInputElement, options?: { isWhole: boolean }) {
  const formatted = formatPhone(field.value, options)
  if (formatted === field.value) return
  const caret = field.selectionEnd ?? field.value.length
  const digitsBehind = countDigits(field.value.slice(caret))
  field.value = formatted
  let offset = formatted.length
  while (countDigits(formatted.slice(offset)) < digitsBehind) offset--
  // Safari moves the focus to a field whose selection is set.
  if (field === document.activeElement) field.setSelectionRange(offset, offset)
}

const countDigits = (text: string) => text.replace(/\D/g, '').length

/** Formats the name field without moving the caret or the selection. */
export function formatNameField(field: HTMLInputElement) {
  const formatted = formatName(field.value)
  if (formatted === field.value) return
  const { selectionStart, selectionEnd, selectionDirection } = field
  field.value = formatted
  // Safari moves the focus to a field whose selection is set.
  if (field === document.activeElement)
    field.setSelectionRange(selectionStart, selectionEnd, selectionDirection ?? 'none')
}
