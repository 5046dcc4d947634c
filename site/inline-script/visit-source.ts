import { unlessBlocked } from '../unless-blocked.ts'

const storageKey = 'lead-source'
const unknown = 'referrer='
// React sends the source in a header, and the server rejects requests with more than 16 kB of headers.
const maxLength = 1_500

/**
 * Returns where the visitor came from, as URLSearchParams text: the campaign in the page's URL and the
 * host of the referring site. The first known source is stored for this tab, without a cookie.
 */
export function findVisitSource() {
  const source = unlessBlocked(() => sessionStorage.getItem(storageKey)) ?? computeSource()
  if (source !== unknown) unlessBlocked(() => sessionStorage.setItem(storageKey, source))
  return source
}

function computeSource() {
  const { referrer } = document
  const [, , host = ''] = referrer.split('/')
  const isOwn = host === location.host
  // A campaign may have linked to our 404 page, whose link to the home page drops the query.
  const search = location.search || (isOwn && referrer.split('?')[1]) || ''
  const source = new URLSearchParams({ referrer: isOwn ? '' : host })
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.startsWith('utm_')) source.set(name, value)
    // Store only the type of a click ID, because the ID itself identifies the visitor to the ad network.
    if (/^([gw]braid|(g|fb)clid|msclkid)$/.test(name)) source.set('click', name)
  }
  return source.toString().slice(0, maxLength)
}
