import { useEffect } from 'react'

/**
 * Keeps the place of people who use a keyboard or a screen reader. If the focused button disappears, moves the focus to
 * the nearest element around it that is not empty, such as its list, or its card in another list. If none is left,
 * moves it to the heading.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The focused element and those around it. */
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
      // A tap on the number also moves its card.
      const button = (target as Element).closest<HTMLElement>('button, [href^="tel:"]')
      // Safari does not focus a button or a link that is clicked.
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
      // Scroll to the card that the person's press has moved, but not to one that a colleague has moved. After a
      // press that closed the card, keep the next call in sight.
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
