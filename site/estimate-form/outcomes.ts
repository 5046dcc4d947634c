import { showReceived } from '../inline-script/show-promise.ts'

/** Hides the outcome of an earlier request, and the inline script's notices. */
export function hideOutcomes() {
  // Set `hidden`, because CSS also shows an outcome that is the target of the page's URL.
  for (const outcome of document.querySelectorAll<HTMLElement>('.outcome, #estimate-notices > *'))
    outcome.hidden = true
}

/**
 * Shows the success message, scrolls to it, and returns the sentence with the time of the call. Animates the fields to
 * their new places, because a jump would count as a layout shift.
 */
export function revealReceived(form: HTMLFormElement, time?: string) {
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  const parts = [...document.querySelectorAll('#estimate, .estimate-card ~ *, .hero ~ *')]
  const finishMove = isStill ? () => {} : startMove([...parts, ...form.children])
  const { message, sentence } = showReceived(time)
  finishMove()
  message.scrollIntoView({ behavior: isStill ? 'instant' : 'smooth', block: 'nearest' })
  return sentence
}

/**
 * Remembers where the elements are. Call the returned function after the layout has changed, to animate them from there
 * to their new places.
 */
function startMove(elements: Element[]) {
  const findTop = (element: Element) => element.getBoundingClientRect().top
  const before = elements.map(findTop)
  return () => {
    const offsets = new Map(
      elements.map((element, index) => [element, (before[index] ?? 0) - findTop(element)]),
    )
    for (const [element, offsetPx] of offsets) {
      // Subtract the movement of the container, because its animation also moves this element.
      const container = elements.find((other) => other !== element && other.contains(element))
      const ownPx = offsetPx - ((container && offsets.get(container)) ?? 0)
      element.animate({ translate: [`0 ${ownPx}px`, '0'] }, { duration: 350, easing: 'ease-out' })
    }
  }
}
