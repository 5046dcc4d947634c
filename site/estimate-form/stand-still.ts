/**
 * Tells the hero how much taller the form is than without errors and notes: it grows by that much at
 * its lower end (hero.css), and the words beside the form stay where they are. Before anything is drawn.
 */
export function standStill(form: HTMLFormElement) {
  const hero = form.closest<HTMLElement>('.hero')
  const measure = (element: Element | null) => element?.getBoundingClientRect().height ?? 0
  let atRest = 0
  const makeRoom = () => {
    if (!form.querySelector('.field-error, .field-hint'))
      atRest = measure(form) - measure(form.querySelector('.notes'))
    hero?.style.setProperty('--grown', `${measure(form) - atRest}px`)
  }
  // At once: a press that waited for this code may bring errors with its first frame.
  makeRoom()
  const observer = new ResizeObserver(makeRoom)
  observer.observe(form)
  return () => observer.disconnect()
}
