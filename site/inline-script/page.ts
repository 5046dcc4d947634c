/*
 * All the script that runs before someone touches the page. The build inlines it into the HTML, so it
 * cannot fail to load. React loads at the first contact (load-form.ts).
 */
import { driftTestimonials } from './drift.ts'
import { prepareForm } from './native-form.ts'

const scrollThresholdPx = 50

const markScrolled = () =>
  document.documentElement.toggleAttribute('data-scrolled', scrollY > scrollThresholdPx)
addEventListener('scroll', markScrolled)
// Reading the offset now would cost the browser an extra layout.
requestAnimationFrame(markScrolled)

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
for (const button of document.querySelectorAll('[data-to-top]')) {
  button.addEventListener('click', () =>
    scrollTo({ top: 0, behavior: reducedMotion.matches ? 'instant' : 'smooth' }),
  )
}

// Without scripts the page shows the year in which it was built.
for (const year of document.querySelectorAll('[data-year]')) {
  year.textContent = String(new Date().getFullYear())
}

// After the first screen and its picture, lay out the rest, one section or row of testimonials per
// task, so that no task is long. Jumping, printing, and screenshots of the whole page need all of it.
const layOutNext = () => {
  const next = document.querySelector<HTMLElement>('.later')
  if (!next) return
  next.classList.remove('later')
  next.getBoundingClientRect()
  setTimeout(layOutNext)
}
addEventListener('load', () => requestAnimationFrame(() => setTimeout(layOutNext)))

driftTestimonials(reducedMotion)
prepareForm()
