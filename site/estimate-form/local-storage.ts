/** Browsers that block storage throw at the mere mention of it. That must not cost a lead. */
export function unlessBlocked<Result>(use: () => Result) {
  try {
    return use()
  } catch {
    return undefined
  }
}
