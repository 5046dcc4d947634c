/*
 * All the script that runs before someone touches the page. It is inlined into the HTML, so it can
 * neither be late nor fail to load; React arrives with the first contact (see load-form.ts).
 */
import { driftTestimonials } from './drift.ts'
import { loadFormOnContact } from './load-form.ts'

const scrollThresholdPx = 50

const markScrolled = () =>
  document.documentElement.toggleAttribute('data-scrolled', scrollY > scrollThresholdPx)
addEventListener('scroll', markScrolled, { passive: true })
// Asked for now, the offset would make the browser lay the page out once more than it needs to.
requestAnimationFrame(markScrolled)

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
for (const button of document.querySelectorAll('[data-to-top]')) {
  button.addEventListener('click', () =>
    scrollTo({ top: 0, behavior: reducedMotion.matches ? 'instant' : 'smooth' }),
  )
}

// The HTML carries the year it was built in, for readers without scripts.
for (const year of document.querySelectorAll('[data-year]')) {
  year.textContent = String(new Date().getFullYear())
}

// Once the first screen and its picture are there the rest is laid out too, a section or a row of
// testimonials a task, so that none is long. A visitor who jumps, prints or takes a picture of the
// whole page finds all of it.
const layOutNext = () => {
  const next = document.querySelector<HTMLElement>('.later')
  if (!next) return
  next.classList.remove('later')
  next.getBoundingClientRect()
  setTimeout(layOutNext)
}
addEventListener('load', () => requestAnimationFrame(() => setTimeout(layOutNext)))

driftTestimonials(reducedMotion)
loadFormOnContact()
