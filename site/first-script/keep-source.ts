import { unlessBlocked } from './keep-draft.ts'

/*
 * Where the visitor came from, so that the owner learns what brings leads: what the address says of a
 * campaign, and the host of the site that led here. Of a click id only its kind is kept, because the
 * id itself tells the ad network who it was. It stays in this tab; there is no cookie.
 */
const storageKey = 'lead-source'
const unknown = 'referrer='
// A request with more than 16 kB of headers is refused, and this is one of them.
const maxLength = 1_500

/** What was first known in this visit, as the text of URLSearchParams. */
export function keepSource() {
  const source = unlessBlocked(() => sessionStorage.getItem(storageKey)) ?? findSource()
  if (source !== unknown) unlessBlocked(() => sessionStorage.setItem(storageKey, source))
  return source
}

function findSource() {
  const { referrer } = document
  const [, , host = ''] = referrer.split('/')
  const isOwn = host === location.host
  // A campaign may lead to a page that is not here. The link home on the 404 page hides what it said.
  const search = location.search || (isOwn && referrer.split('?')[1]) || ''
  const source = new URLSearchParams({ referrer: isOwn ? '' : host })
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.startsWith('utm_')) source.set(name, value)
    if (/^([gw]braid|(g|fb)clid|msclkid)$/.test(name)) source.set('click', name)
  }
  return source.toString().slice(0, maxLength)
}
