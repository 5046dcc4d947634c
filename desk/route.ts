import { createSignal, useSignal } from './signal.ts'

export type Screen = 'today' | 'leads' | 'report' | 'page' | 'people' | 'add'
export type Route = { screen: Screen; leadId: string | undefined; query: string }

/** Routes are in the hash, which browsers do not send to servers. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [first, leadId] = path.split('/')
  if (first === 'lead' && leadId) return { screen: 'today', leadId, query: '' }
  if (first === 'leads') return { screen: 'leads', leadId: leadId || undefined, query }
  if (first === 'report' || first === 'page' || first === 'people' || first === 'add')
    return { screen: first, leadId: undefined, query }
  return { screen: 'today', leadId: undefined, query: '' }
}

export function formatRoute({ screen = 'today', leadId, query }: Partial<Route>): string {
  const path = screen === 'today' ? (leadId ? 'lead' : '') : screen
  return `#/${path}${leadId ? `/${leadId}` : ''}${query ? `?${query}` : ''}`
}

let shown = import.meta.env.SSR ? '' : location.hash
const scrolls = new Map<string, number>()
const moves = createSignal()

if (!import.meta.env.SSR) {
  history.scrollRestoration = 'manual'
  addEventListener('hashchange', () => {
    scrolls.set(shown, scrollY)
    shown = location.hash
    moves.notify()
  })
}

export const useHash = () => useSignal(moves, () => shown)

/** Changes the URL without adding a step to the history. */
export function replaceHash(hash: string) {
  history.replaceState(null, '', hash)
  shown = location.hash
  moves.notify()
}

/** The scroll position when the person left the screen. */
export const readScroll = (hash: string) => scrolls.get(hash) ?? 0
/** False until the first navigation, because the first screen must not move the focus. */
export const hasNavigated = () => scrolls.size > 0
