/*
 * All the code that runs before the visitor interacts with the page. The build inlines it into the HTML,
 * so it cannot fail to load. React loads at the first interaction (load-form.ts).
 */
import { driftTestimonials } from './drift.ts'
import { prepareForm } from './native-form.ts'
import { showPromise } from './show-promise.ts'

const scrollThresholdPx = 50

const markScrolled = () =>
  document.documentElement.toggleAttribute('data-scrolled', scrollY > scrollThresholdPx)
addEventListener('scroll', markScrolled)
// Reading the offset now would force an extra layout.
requestAnimationFrame(markScrolled)

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
for (const button of document.querySelectorAll('[data-to-top]')) {
  button.addEventListener('click', () =>
    scrollTo({ top: 0, behavior: reducedMotion.matches ? 'instant' : 'smooth' }),
  )
}

// Without scripts, the page shows the year of the build.
for (const year of document.querySelectorAll('[data-year]')) {
  year.textContent = String(new Date().getFullYear())
}

// After the first screen has loaded, lay out the remaining sections and testimonial rows, one per task, to
// avoid long tasks. Anchor links, printing, and full-page screenshots need the whole layout.
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
showPromise((at) => new Date(at).toLocaleTimeString('en', { timeStyle: 'short' }))
