export const findField = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | null

/** Fills in a field and fires the event that typing would. */
export function fillInput(input: HTMLInputElement, text: string) {
  input.value = text
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Whether a person is typing. Autofill also fires `input`, without a type (Chrome) or as a replacement
 * (Firefox, Safari), and must not open the suggestions over the fields it just filled in.
 */
export function isTyping(event: { inputType?: string }) {
  return Boolean(event.inputType) && event.inputType !== 'insertReplacementText'
}
