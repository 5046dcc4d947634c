import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Desk } from './desk.tsx'

const place = document.getElementById('desk')
const sent = document.getElementById('start')?.textContent
// In place of what the server rendered, not on top of it: it knows neither the screen nor the phone's clock.
const start = () =>
  place &&
  createRoot(place).render(
    <StrictMode>
      <Desk start={sent && JSON.parse(sent)} />
    </StrictMode>,
  )
// That is shown first: on a slow phone this takes longer than showing it.
if (sent) requestAnimationFrame(() => requestAnimationFrame(start))
else start()
