import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'lead-source'
const unknown = 'referrer='
// The server refuses a request with more than 16 kB of headers, and React sends the source in one.
const maxLength = 1_500

/**
 * Returns where the visitor came from, as URLSearchParams text: the campaign in the page's address and
 * the host of the referring site. The first known source of a visit stays in this tab; there is no cookie.
 */
export function readSource() {
  const source = unlessBlocked(() => sessionStorage.getItem(storageKey)) ?? findSource()
  if (source !== unknown) unlessBlocked(() => sessionStorage.setItem(storageKey, source))
  return source
}

function findSource() {
  const { referrer } = document
  const [, , host = ''] = referrer.split('/')
  const isOwn = host === location.host
  // A campaign may lead to our 404 page, whose link home drops the query.
  const search = location.search || (isOwn && referrer.split('?')[1]) || ''
  const source = new URLSearchParams({ referrer: isOwn ? '' : host })
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.startsWith('utm_')) source.set(name, value)
    // Only the kind of a click id: the id itself would tell the ad network who the visitor is.
    if (/^([gw]braid|(g|fb)clid|msclkid)$/.test(name)) source.set('click', name)
  }
  return source.toString().slice(0, maxLength)
}
