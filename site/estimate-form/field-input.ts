export const findField = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | null

/** Sets the value of a field and fires an input event, like typing does. */
export function fillInput(input: HTMLInputElement, text: string) {
  input.value = text
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Returns true if a person is typing. Autofill also fires `input`, either without a type (Chrome) or as a
 * replacement (Firefox, Safari), but must not open suggestions over the fields that it filled in.
 */
export function isTyping(event: { inputType?: string }) {
  return Boolean(event.inputType) && event.inputType !== 'insertReplacementText'
}
