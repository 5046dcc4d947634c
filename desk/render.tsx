import { renderToString } from 'react-dom/server'
import type { Today } from '#leads/desk/today.ts'
import { setOpenedAt } from './api.ts'
import { Desk, type Start } from './desk.tsx'

/** Runs on the server: renders the page of a signed-in person, with the data the script starts with. */
export function renderStart(data: Today): { screen: string; data: string } {
  const start: Start = { data, at: Date.now() }
  setOpenedAt(start.at)
  return {
    screen: renderToString(<Desk start={start} />),
    // A name that contains </script> must not end the element.
    data: JSON.stringify(start).replaceAll('<', '\\u003c'),
  }
}
