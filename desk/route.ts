import { createSignal, useSignal } from './signal.ts'

export type Screen = 'today' | 'leads' | 'promise' | 'people'
export type Route = { screen: Screen; leadId: string | undefined; query: string }

/** What stands behind the #: nothing of it reaches a server. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [first, leadId] = path.split('/')
  if (first === 'lead' && leadId) return { screen: 'today', leadId, query: '' }
  if (first === 'leads') return { screen: 'leads', leadId: leadId || undefined, query }
  if (first === 'promise' || first === 'people') return { screen: first, leadId: undefined, query }
  return { screen: 'today', leadId: undefined, query: '' }
}

export function formatRoute({ screen, leadId, query }: Partial<Route>): string {
  if (screen === 'leads') return `#/leads${leadId ? `/${leadId}` : ''}${query ? `?${query}` : ''}`
  if (leadId) return `#/lead/${leadId}`
  return screen === 'promise' || screen === 'people'
    ? `#/${screen}${query ? `?${query}` : ''}`
    : '#/'
}

// While the server renders, nobody has gone anywhere.
let shown = import.meta.env.SSR ? '' : location.hash
const scrolls = new Map<string, number>()
const moves = createSignal()

if (!import.meta.env.SSR) {
  history.scrollRestoration = 'manual'
  addEventListener('hashchange', () => {
    scrolls.set(shown, scrollY)
    shown = location.hash
    moves.tell()
  })
}

export const useHash = () => useSignal(moves, () => shown)

/** Another address for the same screen; Back leads past it. */
export function replaceHash(hash: string) {
  history.replaceState(null, '', hash)
  shown = location.hash
  moves.tell()
}

/** How far down somebody was when they left. */
export const findScroll = (hash: string) => scrolls.get(hash) ?? 0
/** A screen that opens by itself takes no focus; one that somebody went to does. */
export const hasMoved = () => scrolls.size > 0
