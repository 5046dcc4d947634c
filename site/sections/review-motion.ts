/*
 * Makes the testimonial rows move in a loop. In the HTML, each row is a normal scrollable list. This adds the copies
 * that close the loop, which are hidden from screen readers. CSS (.row) animates the row. The inline script imports
 * this file when the section is about to become visible.
 */
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
const button = document.querySelector<HTMLButtonElement>('[data-drift-button]') as HTMLButtonElement
const rows = [...document.querySelectorAll<HTMLElement>('.row')]
let stopped = false

function update() {
  const loops = rows.filter(canLoop)
  const drifting = !stopped && !reducedMotion.matches
  button.hidden = reducedMotion.matches || !loops.length
  button.dataset.state = drifting ? 'playing' : 'paused'
  button.ariaLabel = (drifting ? button.dataset.pause : button.dataset.play) as string
  for (const row of rows) {
    if (!loops.includes(row)) row.dataset.still = ''
    else if (drifting) drift(row)
    else stop(row)
  }
}

button.addEventListener('click', () => {
  stopped = !stopped
  update()
})
reducedMotion.addEventListener('change', update)
update()

/**
 * If all cards fit on the screen, they do not move, because a loop would show cards twice, as if there were more
 * reviews. Rows of six or more cards can move on any screen.
 */
function canLoop(row: HTMLElement): boolean {
  const list = row.firstElementChild?.firstElementChild as HTMLElement
  return list.childElementCount >= 6 || list.offsetWidth > screen.width
}

/** Starts the animation at the current scroll position. */
function drift(row: HTMLElement) {
  const track = row.firstElementChild as HTMLElement
  const list = track.firstElementChild as HTMLElement
  const scrolledPx = row.scrollLeft
  row.style.setProperty('--cards', String(list.childElementCount))
  if (track.childElementCount === 1) closeLoop(track, list)
  row.dataset.drifting = ''

  const [animation] = track.getAnimations()
  if (!animation) return
  const durationMs = Number(animation.effect?.getComputedTiming().duration)
  const progress = (scrolledPx % list.offsetWidth) / list.offsetWidth
  animation.currentTime = durationMs * (row.dataset.direction === 'right' ? 1 - progress : progress)
}

/** Stops the animation and sets the scroll position to match, so that the row does not jump. */
function stop(row: HTMLElement) {
  if (row.dataset.drifting === undefined) return
  const track = row.firstElementChild as HTMLElement
  const offsetPx = row.getBoundingClientRect().x - track.getBoundingClientRect().x
  delete row.dataset.drifting
  row.scrollLeft = offsetPx
}

/** Appends enough copies to fill the screen while the loop restarts. */
function closeLoop(track: HTMLElement, list: HTMLElement) {
  for (let widthPx = 0; widthPx < screen.width; widthPx += list.offsetWidth) {
    const copy = list.cloneNode(true) as HTMLElement
    copy.ariaHidden = 'true'
    copy.inert = true
    track.append(copy)
  }
}
