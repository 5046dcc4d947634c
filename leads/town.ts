/** Of '1 Main St, Springfield, IL 62701, USA' the town; else what there is. */
export function findTown(address: string): string {
  const parts = address
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part && !/^(usa|united states)$/i.test(part))
  if (parts.length < 2) return parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  const isState = /^[A-Z]{2}( \d{5}(-\d{4})?)?$/i.test(last) || /^\d{5}/.test(last)
  return (isState && parts.length > 2 ? parts.at(-2) : last) ?? ''
}
