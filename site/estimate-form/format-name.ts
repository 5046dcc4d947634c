/** Lowercased, then each space-separated word capitalised. Never changes the length. */
export function formatName(name: string) {
  return name.split(' ').map(capitalise).join(' ')
}

function capitalise(word: string) {
  const [first = '', ...rest] = word
  return (
    keepLength(first, first.toUpperCase()) +
    rest.map((c) => keepLength(c, c.toLowerCase())).join('')
  )
}

// A few letters grow when their case changes (ß becomes SS, İ becomes two). They stay as typed, so
// that every offset in the field, the caret's too, means the same before and after.
const keepLength = (before: string, after: string) =>
  after.length === before.length ? after : before

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
