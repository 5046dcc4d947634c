/** Ignores errors from blocked or full storage, because they must not cost us a lead or a draft. */
export function unlessBlocked<Result>(use: () => Result) {
  try {
    return use()
  } catch {
    return undefined
  }
}
