import { useEffect, useRef } from 'react'

/**
 * Keeps the place of people who use a keyboard or a screen reader: if the focused button disappears, the
 * nearest element around it that is not empty gets the focus, such as its list.
 */
export function useKeptFocus(): void {
  const around = useRef<HTMLElement[]>([])
  useEffect(() => {
    const remember = ({ target }: Event) => {
      around.current = []
      let element = target as HTMLElement | null
      for (; element?.closest('.page-form, .lead-pane'); element = element.parentElement)
        around.current.push(element)
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [])
  // Any change may remove the button.
  useEffect(() => {
    const [focused, ...outer] = around.current
    if (!focused || focused.isConnected || document.activeElement !== document.body) return
    const left = outer.find((element) => element.textContent && element.checkVisibility())
    left?.setAttribute('tabindex', '-1')
    left?.focus({ preventScroll: true })
  })
}
