import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { readClock, setClock, setOpenedAt } from './api.ts'
import { Desk, type Start } from './desk.tsx'

/** Reads the data that the server sent with the page, and removes it, because it must not outlive the session. */
function takeStart(): Start | undefined {
  const element = document.getElementById('start')
  if (!element?.textContent) return undefined
  const start: Start = JSON.parse(element.textContent)
  element.remove()
  const [arrival] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (arrival) setClock(start.at, performance.timeOrigin + arrival.responseStart)
  return start
}

const place = document.getElementById('desk')
const sent = takeStart()
setOpenedAt(sent?.at ?? readClock())
const desk = (
  <StrictMode>
    <Desk start={sent} />
  </StrictMode>
)

function start() {
  // The server renders only Today. An inline script removes it if the URL has a different route.
  if (sent && place?.querySelector('.shell'))
    // A transition runs in small steps, so that a slow phone stays responsive.
    startTransition(() => void hydrateRoot(place, desk))
  else if (place) createRoot(place).render(desk)
}
// Let the browser paint the server's markup first, because hydration is slow on a phone.
if (sent && !document.hidden) requestAnimationFrame(() => requestAnimationFrame(start))
else start()
