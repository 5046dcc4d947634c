/*
 * Where a lead came from, in words for people. Stored is what the page told, cleaned by lead.ts; the
 * name is found when somebody reads it, so a better one is good for old leads too.
 */

// The page tells which kind of click it was, never the click's own id.
const adClicks = new Map([
  ['gclid', 'Google Ads'],
  ['gbraid', 'Google Ads'],
  ['wbraid', 'Google Ads'],
  ['msclkid', 'Microsoft Ads'],
])

const places = new Map([
  ['google', 'Google'],
  ['bing', 'Bing'],
  ['facebook', 'Facebook'],
  ['fb', 'Facebook'],
  ['instagram', 'Instagram'],
  ['ig', 'Instagram'],
  ['nextdoor', 'Nextdoor'],
  ['yelp', 'Yelp'],
  ['youtube', 'YouTube'],
])

const paid = /^(cpc|ppc|cpm|display|paid.*)$/i

/** Such as "Google Ads · spring-roofs", "Facebook", "google.com" or "Direct". */
export function describeSource(source: string | null): string {
  if (source === null) return 'Not known'
  const parts = new URLSearchParams(source)
  const part = (name: string) => parts.get(name) ?? ''
  const place =
    adClicks.get(part('click')) ||
    nameCampaignSource(part('utm_source'), part('utm_medium')) ||
    // Facebook adds its id to every link, paid or not.
    (part('click') === 'fbclid' ? 'Facebook' : nameHost(part('referrer'))) ||
    part('utm_medium')
  return [place, part('utm_campaign')].filter(Boolean).join(' · ') || 'Direct'
}

function nameCampaignSource(source: string, medium: string): string {
  const place = places.get(source.toLowerCase())
  if (!place) return source
  return paid.test(medium) ? `${place} Ads` : place
}

function nameHost(host: string): string {
  // Google's app on Android names itself instead of the site.
  if (host === 'com.google.android.googlequicksearchbox') return 'google.com'
  // Both lead every link over hosts of their own (l., lm., m.).
  const [, place = ''] = host.match(/(?:^|\.)(facebook|instagram)\.com$/) ?? []
  return places.get(place) ?? host.replace(/^www\./, '')
}

/** For programs: the name and what it was found from. */
export const explainSource = (source: string | null) =>
  source === null
    ? null
    : { name: describeSource(source), ...Object.fromEntries(new URLSearchParams(source)) }
