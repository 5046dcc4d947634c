/**
 * A US number as people write it, (555) 123-4567, while it grows. Anything else (another country's
 * number, an extension, words) stays as it is.
 */
export function formatPhone(phone: string, { isWhole = false } = {}) {
  if (!/^\+?[\d\s().-]*$/.test(phone)) return phone
  let digits = phone.replace(/\D/g, '')
  if (/^1\d{10}$/.test(digits)) digits = digits.slice(1)
  // No US area code begins with 1 or 0: this is a country code still being typed, or not a US number.
  else if (phone.startsWith('+') || /^[01]/.test(digits)) return phone
  if (digits.length < 4 || digits.length > 10) return phone
  // Seven may be the beginning of ten; once the visitor is done, they are a number without area code.
  if (isWhole && digits.length === 7) return `${digits.slice(0, 3)}-${digits.slice(3)}`
  const [area, exchange, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return line ? `(${area}) ${exchange}-${line}` : `(${area}) ${exchange}`
}

/** Formats what is in the field; the caret stays behind the same digit. */
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
