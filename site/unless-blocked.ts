/** Runs code that uses storage. Browsers throw when storage is blocked or full, and that must not cost a lead or a draft. */
export function unlessBlocked<Result>(use: () => Result) {
  try {
    return use()
  } catch {
    return undefined
  }
}
