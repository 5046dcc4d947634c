import { renderToStaticMarkup } from 'react-dom/server'
import type { Today } from '#leads/desk/today.ts'
import { Desk, type Start } from './desk.tsx'
import { setTimeZone } from './words.ts'

/**
 * What goes into the page for somebody who is signed in: today as the script will show it, for as long
 * as there is no script yet, and what the script starts with. Runs on the server.
 */
export function renderStart(data: Today, timeZone: string): { screen: string; data: string } {
  setTimeZone(timeZone)
  const start: Start = { data, at: Date.now() }
  return {
    screen: renderToStaticMarkup(<Desk start={start} />),
    // Nothing in it ends the element it stands in.
    data: JSON.stringify(start).replaceAll('<', '\\u003c'),
  }
}
