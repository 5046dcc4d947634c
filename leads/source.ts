/*
 * Describes where a lead came from. The database stores the parameters that the page sent, so that a
 * better description applies to old leads, too.
 */

// For privacy, the page sends the name of the click parameter, not its value.
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

/** The source of a lead that the crew adds by hand. The page cannot send this parameter. */
export const phoneCall = 'by=phone+call'

/** Returns text such as `Google Ads · spring-roofs`, `Facebook`, `google.com`, or `Direct`. */
export function describeSource(source: string | null): string {
  if (source === null) return 'Unknown'
  if (source === phoneCall) return 'Phone call'
  const parts = new URLSearchParams(source)
  const part = (name: string) => parts.get(name) ?? ''
  const place =
    adClicks.get(part('click')) ||
    nameCampaignSource(part('utm_source'), part('utm_medium')) ||
    // Facebook adds fbclid to every link, paid or not.
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
  // The Google app on Android sends its package name.
  if (host === 'com.google.android.googlequicksearchbox') return 'google.com'
  // Facebook and Instagram send visitors from subdomains such as l. and m.
  const [, place = ''] = host.match(/(?:^|\.)(facebook|instagram)\.com$/) ?? []
  return places.get(place) ?? host.replace(/^www\./, '')
}

/** Returns the description and all parameters, for other programs. */
export const explainSource = (source: string | null) =>
  source === null
    ? null
    : { name: describeSource(source), ...Object.fromEntries(new URLSearchParams(source)) }
