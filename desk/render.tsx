import { renderToString } from 'react-dom/server'
import type { Today } from '#leads/desk/today.ts'
import { setOpenedAt } from './api.ts'
import { Desk, type Start } from './desk.tsx'

/** Renders the desk for a signed-in person on the server, and returns the script's initial data. */
export function renderStart(data: Today): { screen: string; data: string } {
  const start: Start = { data, at: Date.now() }
  setOpenedAt(start.at)
  return {
    screen: renderToString(<Desk start={start} />),
    // A homeowner's name that contains </script> must not close the element.
    data: JSON.stringify(start).replaceAll('<', '\\u003c'),
  }
}
