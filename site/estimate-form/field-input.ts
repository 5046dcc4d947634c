export const findField = (form: HTMLFormElement, name: string) =>
  form.elements.namedItem(name) as HTMLInputElement | null

/** Sets the value of a field and fires an input event, as typing does. */
export function fillInput(input: HTMLInputElement, text: string) {
  input.value = text
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Removes attributes whose value is null. Skips unchanged attributes to avoid triggering observers. */
export function setAttributes(element: Element, attributes: Record<string, string | null>) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) === value) continue
    if (value === null) element.removeAttribute(name)
    else element.setAttribute(name, value)
  }
}

/**
 * Returns true if a person is typing. Autofill also fires an input event, either without a type (Chrome) or as a
 * replacement (Firefox, Safari), but suggestions must not open over the fields that it filled in.
 */
export function isTyping(event: { inputType?: string }) {
  return Boolean(event.inputType) && event.inputType !== 'insertReplacementText'
}
