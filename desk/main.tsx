import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { setClock } from './api.ts'
import { Desk, type Start } from './desk.tsx'

const place = document.getElementById('desk')
const sent = takeStart()

/** What the server knew. Nothing of it stays in the page, where it would outlive the session. */
function takeStart(): Start | undefined {
  const element = document.getElementById('start')
  if (!element?.textContent) return undefined
  const start: Start = JSON.parse(element.textContent)
  element.remove()
  const [arrival] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (arrival) setClock(start.at, performance.timeOrigin + arrival.responseStart)
  return start
}

// In place of what the server rendered, not on top of it: it knows neither the screen nor the phone's clock.
const start = () =>
  place &&
  createRoot(place).render(
    <StrictMode>
      <Desk start={sent} />
    </StrictMode>,
  )
// That is shown first: on a slow phone this takes longer than showing it.
if (sent && !document.hidden) requestAnimationFrame(() => requestAnimationFrame(start))
else start()
