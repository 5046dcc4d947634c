import { useEffect } from 'react'

/**
 * Keeps the place of people who use a keyboard or a screen reader. If the focused element disappears, moves the focus
 * to its nearest ancestor that is visible and not empty, or else to the heading. A card that has moved to a different
 * list is found by its ID.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The focused element and its ancestors. */
    let around: HTMLElement[] = []
    let isPressed = false
    const remember = ({ target }: Event) => {
      around = []
      isPressed = false
      let element = target as HTMLElement | null
      for (
        ;
        element?.closest('.list-pane *, .lead-pane *, .notice');
        element = element.parentElement
      )
        around.push(element)
    }
    const press = ({ target }: Event) => {
      // Include phone links, because a tap on one also records a call and moves the card.
      const button = (target as Element).closest<HTMLElement>('button, [href^="tel:"]')
      // Safari does not focus buttons and links when they are clicked.
      button?.focus({ preventScroll: true })
      isPressed = button !== null
    }
    const restore = () => {
      const [focused, ...outer] = around
      if (!focused || document.activeElement !== document.body) return
      if (focused.isConnected && focused.checkVisibility()) return
      const headings = [...document.querySelectorAll('h1')]
      const place =
        outer
          .map((element) => document.getElementById(element.id) ?? element)
          .find((element) => element.textContent && element.checkVisibility()) ??
        headings.findLast((heading) => heading.checkVisibility())
      place?.setAttribute('tabindex', '-1')
      // Scroll to a card that the person's own press has moved, but not to one that a colleague has moved. If the press
      // closed the card, don't scroll, so that the next call stays in view.
      const isClosed = place?.matches('[data-mood="done"], [data-mood="dropped"]')
      place?.focus({ preventScroll: !isPressed || outer.includes(place) || isClosed === true })
    }
    const changes = new MutationObserver(restore)
    changes.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['open', 'hidden'],
    })
    document.addEventListener('focusin', remember)
    document.addEventListener('click', press, true)
    return () => {
      changes.disconnect()
      document.removeEventListener('focusin', remember)
      document.removeEventListener('click', press, true)
    }
  }, [])
}
