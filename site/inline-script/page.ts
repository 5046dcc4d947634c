/*
 * The code that runs before the visitor interacts with the page. The build inlines it into the HTML after the first
 * screen, so it cannot fail to load. React runs at the first interaction (load-form.ts).
 */
import { readFormContent } from '../estimate-form/form-content.ts'
import { createCompanyClock } from './company-clock.ts'
import { onInteraction } from './load-form.ts'
import { prepareForm, showOutcome } from './native-form.ts'
import { showHours } from './show-hours.ts'
import { showPromise } from './show-promise.ts'

const scrollThresholdPx = 50

// Wait after the load event, because on slow phones it fires before the hero picture is painted.
const settleMs = 1_000

// If the style sheet takes longer, show the sections without it.
const maxHiddenMs = 10_000

const markScrolled = () =>
  document.documentElement.toggleAttribute('data-scrolled', scrollY > scrollThresholdPx)
addEventListener('scroll', markScrolled)
// Wait for a frame, because reading the offset now would force an extra layout.
requestAnimationFrame(markScrolled)

// Listen on the window, because the footer's button may not exist yet.
addEventListener('click', ({ target }) => {
  if ((target as Element).closest('a[href^="#"]')) isAtFragment = true
  if (!(target as Element).closest('[data-to-top]')) return
  const isReduced = matchMedia('(prefers-reduced-motion: reduce)').matches
  scrollTo({ top: 0, behavior: isReduced ? 'instant' : 'smooth' })
})

// Load the style sheet of the other sections at the first interaction, or once the first screen has been painted,
// because it would otherwise delay the hero picture. Without scripts, the <noscript> element links it.
let link: HTMLLinkElement | undefined
function showRest() {
  if (link) return
  const place = document.querySelector('main noscript') as HTMLElement
  place.insertAdjacentHTML('afterend', place.textContent as string)
  link = place.nextElementSibling as HTMLLinkElement
  const show = () => {
    clearTimeout(timer)
    layOutNext()
    loadReviewMotion()
  }
  const timer = setTimeout(show, maxHiddenMs)
  link.onload = link.onerror = show
}
onInteraction(showRest)
addEventListener('scroll', showRest)

// Lay out each section and testimonial row in a separate task, to avoid long tasks. Lay out all of them, because anchor
// links, printing, and full-page screenshots need the whole layout.
function layOutNext() {
  const next = document.querySelector<HTMLElement>('.deferred')
  if (!next) return returnToFragment()
  next.classList.remove('deferred')
  next.getBoundingClientRect()
  setTimeout(layOutNext)
}

// Don't scroll to the fragment after a reload, because the browser restores the scroll position.
const [{ type } = {}] = performance.getEntriesByType('navigation') as { type?: string }[]
let isAtFragment = type === 'navigate'
for (const action of ['pointerdown', 'keydown', 'wheel'])
  addEventListener(action, () => {
    isAtFragment = false
  })

/** Scrolls to the fragment again, because the browser did that before the sections had their final heights. */
function returnToFragment() {
  if (isAtFragment) document.querySelector('h2:target')?.scrollIntoView()
}

// Keep loaded pictures rendered (card.css).
document.addEventListener(
  'load',
  ({ target }) => (target as Element).parentElement?.classList.remove('near'),
  true,
)

addEventListener('load', () => {
  setTimeout(() => {
    showRest()
    preloadForm()
  }, settleMs)
  // Update the copyright year, because the page contains the year when it was made.
  const year = document.querySelector('[data-year]') as HTMLElement
  year.textContent = String(new Date().getFullYear())
})

/** When the reviews are about to become visible, loads the code that moves them. */
function loadReviewMotion() {
  const section = document.querySelector<HTMLElement>('[data-motion]')
  if (!section) return
  const near = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return
      near.disconnect()
      // Ignore the error, because visitors can still scroll the rows.
      import(/* @vite-ignore */ section.dataset.motion as string).catch(() => {})
    },
    { rootMargin: '600px' },
  )
  near.observe(section)
}

const island = document.getElementById('estimate') as HTMLElement
const isAnswered = showOutcome()
const preloadForm = prepareForm(island)
const { hours } = readFormContent(island)
const clock = createCompanyClock(hours)
// Show times last, because formatting them may fail in an old browser that does not know the company's time zone.
if (hours.open !== 'always') showHours(hours, clock)
if (!isAnswered) showPromise(clock.formatTime)
