import { renderToString } from 'react-dom/server'
import type { Today } from '#leads/desk/today.ts'
import { setOpenedAt } from './api.ts'
import { Desk, type Start } from './desk.tsx'

/** Renders the page for a signed-in person on the server, with the script's initial data. */
export function renderStart(data: Today): { screen: string; data: string } {
  const start: Start = { data, at: Date.now() }
  setOpenedAt(start.at)
  return {
    screen: renderToString(<Desk start={start} />),
    // A name that contains </script> must not close the element.
    data: JSON.stringify(start).replaceAll('<', '\\u003c'),
  }
}
