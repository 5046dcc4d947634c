/**
 * Sets --grown to the extra height from errors and notes. The hero grows by that much at the bottom
 * (hero.css), so that the text beside the form does not move.
 */
export function lockHeroHeight(form: HTMLFormElement) {
  const hero = form.closest<HTMLElement>('.hero')
  const measure = (element: Element | null) => element?.getBoundingClientRect().height ?? 0
  let basePx = 0
  const update = () => {
    if (!form.querySelector('.field-error, .field-hint'))
      basePx = measure(form) - measure(form.querySelector('.notes'))
    hero?.style.setProperty('--grown', `${measure(form) - basePx}px`)
  }
  // Update immediately, because a submit during hydration shows errors before the observer's first call.
  update()
  const observer = new ResizeObserver(update)
  observer.observe(form)
  return () => observer.disconnect()
}
