export const findField = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | null

/** Puts what was chosen into the field, and tells the form as typing would. */
export function fillInput(input: HTMLInputElement, text: string) {
  input.value = text
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Whether a person is at work in the field. The browser's autofill also fires `input`, but plain
 * (Chrome) or as a replacement (Firefox, Safari): a list must not open over the fields it just filled.
 */
export function isTyping(event: { inputType?: string }) {
  return Boolean(event.inputType) && event.inputType !== 'insertReplacementText'
}
