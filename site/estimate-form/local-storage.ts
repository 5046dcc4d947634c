/** Browsers that block storage throw at the mere mention of it. That must not cost a lead. */
export function localStorageIfAllowed() {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
