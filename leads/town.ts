const stateNames =
  'Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|District of Columbia|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming'

const statePattern = new RegExp(`^([A-Z]{2}|${stateNames})( \\d{5}(-\\d{4})?)?$`, 'i')
const zipPattern = /^\d{5}(-\d{4})?$/
const ignoredPattern = /^$|^(usa|united states)$|^(apt|apartment|unit|suite|ste|#)\b/i

/** Returns 'Springfield' for '1 Main St, Springfield, IL 62701, USA', or the last part of other addresses. */
export function readTown(address: string): string {
  const parts = address
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter((part) => !ignoredPattern.test(part))
  const dropLast = (some: string[], pattern: RegExp) =>
    pattern.test(some.at(-1) ?? '') ? some.slice(0, -1) : some
  const withoutZip = dropLast(parts, zipPattern)
  const withoutState = dropLast(withoutZip, statePattern)
  // A state's name can be a town, too: in '1 Elm St, New York', only the street comes before it.
  const isStreetOnly = ([first = '', second]: string[]) =>
    second === undefined && /^\d|^$/.test(first)
  const found = [withoutState, withoutZip].find((some) => !isStreetOnly(some)) ?? parts
  return found.at(-1) ?? ''
}
