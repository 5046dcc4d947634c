import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { setClock } from './api.ts'
import { Desk, type Start } from './desk.tsx'

const place = document.getElementById('desk')
const sent = takeStart()

/** Reads the data that came with the page and removes it, because it must not outlive the session. */
function takeStart(): Start | undefined {
  const element = document.getElementById('start')
  if (!element?.textContent) return undefined
  const start: Start = JSON.parse(element.textContent)
  element.remove()
  const [arrival] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (arrival) setClock(start.at, performance.timeOrigin + arrival.responseStart)
  return start
}

// Replaces the server's markup instead of hydrating it, because the server knows neither the hash nor
// the phone's clock.
const start = () =>
  place &&
  createRoot(place).render(
    <StrictMode>
      <Desk start={sent} />
    </StrictMode>,
  )
// Paint the server's markup first; on a slow phone, rendering takes longer.
if (sent && !document.hidden) requestAnimationFrame(() => requestAnimationFrame(start))
else start()
