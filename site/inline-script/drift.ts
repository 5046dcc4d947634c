/**
 * Makes the testimonial rows drift. In the HTML each row is an ordinary scrollable list. The copies that
 * close the loop are made here, hidden from screen readers. The motion itself is CSS (.row).
 */
export function driftTestimonials(reducedMotion: MediaQueryList) {
  const section = document.querySelector<HTMLElement>('[data-testimonials]')
  const button = section?.querySelector<HTMLButtonElement>('[data-drift-button]')
  if (!section || !button) return

  const rows = [...section.querySelectorAll<HTMLElement>('.row')]
  let stopped = false

  const update = () => {
    const loops = rows.filter(canLoop)
    const drifting = !stopped && !reducedMotion.matches
    button.hidden = reducedMotion.matches || loops.length === 0
    button.dataset.state = drifting ? 'playing' : 'paused'
    button.setAttribute('aria-label', (drifting ? button.dataset.pause : button.dataset.play) ?? '')
    for (const row of rows) {
      if (!loops.includes(row)) row.dataset.still = ''
      else if (drifting) drift(row)
      else rest(row)
    }
  }

  button.addEventListener('click', () => {
    stopped = !stopped
    update()
  })
  reducedMotion.addEventListener('change', update)
  // Copy and move nothing before the section is near.
  const near = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return
      near.disconnect()
      update()
    },
    { rootMargin: '600px' },
  )
  near.observe(section)
}

/**
 * A few cards that all fit on the screen stand still: a loop would show each of them twice at once and
 * look like more reviews than there are. Rows of six or more always drift.
 */
function canLoop(row: HTMLElement): boolean {
  const list = row.firstElementChild?.firstElementChild as HTMLElement
  return list.children.length >= 6 || list.offsetWidth > screen.width
}

/** Starts the row from where it was scrolled to. */
function drift(row: HTMLElement) {
  const track = row.firstElementChild as HTMLElement
  const list = track.firstElementChild as HTMLElement
  const scrolledPx = row.scrollLeft
  row.style.setProperty('--cards', String(list.children.length))
  if (track.childElementCount === 1) closeLoop(track, list)
  row.dataset.drifting = ''

  const [animation] = track.getAnimations()
  const { duration } = animation?.effect?.getComputedTiming() ?? {}
  if (!animation || typeof duration !== 'number') return
  const progress = (scrolledPx % list.offsetWidth) / list.offsetWidth
  animation.currentTime = duration * (row.dataset.direction === 'right' ? 1 - progress : progress)
}

/** Stops the row where it is and lets the visitor scroll it from there. */
function rest(row: HTMLElement) {
  if (row.dataset.drifting === undefined) return
  const track = row.firstElementChild as HTMLElement
  const offsetPx = -new DOMMatrix(getComputedStyle(track).transform).m41
  delete row.dataset.drifting
  row.scrollLeft = offsetPx
}

/** Appends enough copies to hide the row's end on any screen. */
function closeLoop(track: HTMLElement, list: HTMLElement) {
  const copies = Math.ceil(screen.width / list.offsetWidth)
  for (let made = 0; made < copies; made++) {
    const copy = list.cloneNode(true) as HTMLElement
    copy.setAttribute('aria-hidden', 'true')
    copy.inert = true
    track.append(copy)
  }
}
