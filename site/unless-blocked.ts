/** Ignores errors from blocked or full storage, because the form and the desk must also work without it. */
export function unlessBlocked<Result>(use: () => Result) {
  try {
    return use()
  } catch {
    return undefined
  }
}
